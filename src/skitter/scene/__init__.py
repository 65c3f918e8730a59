"""What the user writes: scene files, read safely and checked into typed specs."""
