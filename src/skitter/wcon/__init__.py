"""WCON files: tracks of worms, as laboratories exchange them.

The Worm tracker Commons Object Notation is JSON with rules (WCON_format.md of the repository
openworm/tracker-commons). Here times are in s and lengths in mm, which is what the format advises;
x and y are those of the picture, seen from above: x of a recording is x, and its z is -y.
"""
