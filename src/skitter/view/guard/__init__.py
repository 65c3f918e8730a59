"""What stands between the network and viser.

Viser trusts whoever connects. Here only the studio's own page may connect (door.py), it may only
say what the page of viser says in ordinary use (messages.py), and only so fast (client.py,
changes.py, limits.py). Whatever else arrives is dropped before viser sees it, and whoever keeps
sending it is cut off. How viser is put behind all this is told in server.py.
"""
