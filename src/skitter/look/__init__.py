"""What a body looks like: surfaces, colours and the camera's path, with no renderer in sight."""
