"""Momentum and energy of creatures, for tests of what they give to each other."""

import numpy as np

from skitter.rigid.bodies import ANGULAR_MOMENTUM, VELOCITY


def find_figure_motion(one):
    """Of boxes and soft blocks: momentum, angular momentum about the origin, kinetic energy."""
    mass, node_mass = one.body_mass[:, None], one.node_mass[:, None]
    speed = one.read_bodies(one.body_state.rows, VELOCITY, 3)
    own = one.read_bodies(one.body_state.rows, ANGULAR_MOMENTUM, 3)
    linear = np.concatenate([mass * speed, node_mass * one.node_velocity])
    place = np.concatenate([one.body_centre, one.node_position])
    energy = 0.5 * ((mass * speed**2).sum() + (own * one.body_spin).sum())
    energy += 0.5 * (node_mass * one.node_velocity**2).sum()
    return linear.sum(axis=0), np.cross(place, linear).sum(axis=0) + own.sum(axis=0), float(energy)


def find_engine_motion(engine):
    """Of one climber in an engine, by MuJoCo's own sums over bodies."""
    import mujoco

    model, data = engine.model, engine.data
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_subtreeVel(model, data)
    linear = model.body_subtreemass[1] * data.subtree_linvel[1]
    armature = model.dof_armature.copy()
    model.dof_armature[:] = 0.0  # stands for dampers, and has no energy
    mujoco.mj_makeM(model, data)
    mujoco.mj_energyVel(model, data)
    model.dof_armature[:] = armature
    angular = data.subtree_angmom[1] + np.cross(data.subtree_com[1], linear)
    return linear, angular, float(data.energy[1])
