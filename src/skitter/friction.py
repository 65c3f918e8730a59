"""The friction of two surfaces: one law for every pair, terrain and animals of all families.

A surface has one number. What counts where two touch is the product of theirs (decision 023): a
body of friction 1 slides as the ground says, and 0 on either side is frictionless.
"""

from skitter.compiled import inlined


@inlined
def pair_friction(one, other):
    """Coulomb's coefficient of two surfaces that touch, from the number of each."""
    return one * other
