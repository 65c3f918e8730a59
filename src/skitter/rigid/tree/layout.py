"""Where the numbers of a tree stand in the arrays that kernels read and write.

Spatial vectors are angular part first, then linear, in the link's own axes at its own origin, which
lies on its joint. The axes of a link are turned such that a joint of one degree of freedom acts
along its z, and S = (0, 0, a, 0, 0, b) is its motion: a turning joint has (a, b) = (1, 0), a
sliding one (0, 1), a screw (1, pitch). All of them are one case, without a branch.
"""

SINGLE, BALL, FREE = 0, 1, 2  # kinds of joints
SIZES = {SINGLE: (1, 1), BALL: (4, 3), FREE: (7, 6)}  # how many numbers of q and of v each has

# columns of the integers of a link
PARENT, KIND, Q_AT, V_AT, INT_SIZE = 0, 1, 2, 3, 4

# columns of the numbers of a link: where its joint is in its parent, the axes there at rest (the
# columns of a matrix), a and b of S, mass, mass times centre, inertia about the link's origin
PLACE, TURN, ABOUT, ALONG, MASS, MOMENT, INERTIA, NUMBER_SIZE = 0, 3, 12, 13, 14, 15, 18, 24

# columns of the work of a link; symmetric matrices are xx xy xz yy yz zz
AXES = 0  # [9] of the link in its parent's axes
SHIFT = 9  # [3] its origin from its parent's, in the parent's axes
SPEED = 12  # [6]
BIAS = 18  # [6] acceleration that the velocities alone bring: v x S v_joint
ARTICULATED = 24  # [6 + 9 + 6] articulated inertia: turning, coupling, moving
FORCE = 45  # [6] bias force
REACH = 51  # [6] articulated inertia times S; of a ball, the inverse of its own 3 x 3
INVERSE = 57  # of S . REACH
PUSH = 58  # [3] joint force less what the bias force takes of it
DRIFT = 61  # [6] acceleration without any of the joints': velocities and gravity
GAIN = 67  # [6] acceleration
WORK_SIZE = 73
