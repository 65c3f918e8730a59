"""Pictures and films of a recording, drawn without a screen."""

from skitter.render.pictures import render_picture, render_video

__all__ = ["render_picture", "render_video"]
