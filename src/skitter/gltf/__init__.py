"""glTF 2.0 files: reading them whole, adding to them, and writing them.

A document stays the dictionary that it is in the file, so that what we do not know of (extensions,
extras, materials) survives.
"""
