"""What each command does once its options are read; `skitter.cli` declares the options."""
