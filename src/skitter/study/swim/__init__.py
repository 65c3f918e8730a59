"""The study `swim`: all strokes of a swimmer, and the least costly one for each speed."""
