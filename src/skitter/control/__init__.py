"""How an animal decides and moves: leg states, following and balancing, antennae, the brain."""
