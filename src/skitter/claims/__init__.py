"""What the papers report, reproduced and measured."""
