"""Trees of rigid links that joints hold together: Featherstone's articulated-body method."""
