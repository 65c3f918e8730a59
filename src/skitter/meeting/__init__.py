"""How bodies of different owners meet: their shapes, where they touch, and the impulses there."""
