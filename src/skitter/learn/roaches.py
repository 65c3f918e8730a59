"""Cockroaches of links: an action says where the springs of eighteen joints pull.

The oscillators and motor programs of the species are set aside: an action moves the rest angles of
swing, lift and knee of every leg from the standing pose. During a step they travel evenly to where
the action has them, no faster than FASTEST; springs, dampers, ground and weight do the rest.

All roaches of a herd are one forest of links, through which a compiled call goes at once; they do
not touch each other.
"""

from typing import Any

import numpy as np

from skitter.control.stepping.model import GaitState
from skitter.creatures.articulated.articulated import Articulated
from skitter.errors import SimulationError
from skitter.learn.entry import Entry, list_many
from skitter.learn.herd import Singles, Trunk, run_jobs

MOVED = {
    "swing": np.radians(25),
    "lift": np.radians(40),
    "knee": np.radians(40),
}  # for an action of 1
FASTEST = 25.0  # rad/s of a rest angle
FIRST_ANGLE = 0.05  # rad, of all joints at first
FIRST_SPEED = 1.0  # cm/s, of the whole at first, along and across
TOUCHES = 0.01  # of its weight, from which a foot counts as touching
UPRIGHT = 0.3  # of its up along the world's, below which it has fallen


class Puppet(Articulated):
    """A roach whose joints follow orders."""

    def follow(self, goal: np.ndarray, seconds: float) -> None:
        """Bring the rest angles [joint] evenly to a goal in some seconds, or as near as can be."""
        rest = self.gait_state.rest_next
        speed = np.clip((goal - rest) / seconds, -FASTEST, FASTEST)
        self.gait_state.rest_speed[:] = speed

    def think(self, now: float, seconds: float) -> None:
        state = self.gait_state
        state.rest[:] = state.rest_next
        state.rest_next[:] += seconds * state.rest_speed

    def sense(self, *felt: Any) -> None:
        """Its legs feel nothing that would change what they do."""


class Roaches(Singles):
    """Roaches on a plane."""

    rate = 100.0
    scene = {  # noqa: RUF012  nobody changes it
        "title": "A cockroach that learns",
        "time_step": 1 / 1000,
        "terrain": [{"shape": "plane", "friction": 0.7, "colour": "#c9bfa6"}],
        "creatures": [{"species": "roach", "name": "roach"}],
    }
    creatures: list[Puppet]

    def build(self) -> Puppet:
        species: Any = self.loaded.species[0]
        placement = self.loaded.spec.creatures[0]
        one = Puppet("roach", species, placement, self.world.physics, np.random.default_rng(0))
        # bars are what creatures touch each other with
        one.system = one.system._replace(bar=one.system.bar[:0], bar_ends=one.system.bar_ends[:0])
        one.begin(self.world.look_around())
        return one

    def prepare(self) -> None:
        one = self.creatures[0]
        gait = one.gait
        self.joint_names = [name.replace(".", "_") for name in one.plan.joint_name]
        assert gait is not None
        legs = np.arange(len(one.plan.leg_name))
        self.length = one.plan.body_length
        self.standing = one.gait_state.rest_next.copy()
        for leg in legs:  # the pose of standing, in the middle of stance
            joints = gait.leg_joint[leg]
            pose = gait.pose_angle[leg, gait.stand_pose[leg]]
            self.standing[joints[joints >= 0]] = pose[joints >= 0]
        self.moved = np.array(
            [k for k, name in enumerate(self.joint_names) if name.rpartition("_")[2] in MOVED]
        )
        names = [self.joint_names[k] for k in self.moved]
        self.ways = np.array([MOVED[name.rpartition("_")[2]] for name in names])
        self.actions = tuple(
            Entry(name, f"{np.degrees(way):.0f}°", -1, 1, "rest angle, from the standing pose")
            for name, way in zip(names, self.ways, strict=True)
        )
        self.parts = np.array_split(np.arange(self.count), self.threads)

    def list_looks(self) -> tuple[Entry, ...]:
        legs = self.creatures[0].plan.leg_name
        about = "from the standing pose"
        asked = [self.joint_names[k] for k in self.moved]
        return (
            Entry("spin_ahead", "rad/s", -50, 50, "of the thorax about its own axis"),
            Entry("spin_up", "rad/s", -50, 50, "likewise about its up, positive to the left"),
            Entry("spin_right", "rad/s", -50, 50, "likewise about its right"),
            *list_many(self.joint_names, "angle", "rad", 3.2, f"of the joint, {about}"),
            *list_many(self.joint_names, "rate", "rad/s", 200.0, "of the joint"),
            *list_many(asked, "rest", "rad", 3.2, f"of its spring, {about}"),
            *list_many(legs, "touches", "1", 1.0, "1 while the leg touches the ground", 0.0),
            *list_many(legs, "load", "weight", 10.0, "with which the ground carries it", 0.0),
        )

    def vary(self, one: Any, k: int, rng: np.random.Generator, variation: float) -> None:
        """Joints a little bent, and a velocity."""
        joints = len(self.joint_names)
        bent = variation * rng.uniform(-FIRST_ANGLE, FIRST_ANGLE, joints)
        one.body_state.q[one.system.joint_q] += bent
        one.body_state.v[[3, 5]] += variation * rng.uniform(-FIRST_SPEED, FIRST_SPEED, 2)

    def act(self, actions: np.ndarray) -> None:
        for one, action in zip(self.creatures, actions, strict=True):
            goal = self.standing.copy()
            goal[self.moved] += self.ways * action
            one.follow(goal, self.seconds)

    def advance(self, moving: np.ndarray) -> None:
        """All that move, as one forest on each thread."""
        self.known, self.failed[:] = None, False
        parts = [part[moving[part]] for part in self.parts]
        run_jobs([self.plan_some(part) for part in parts if len(part)], self.pool)

    def plan_some(self, part: np.ndarray) -> Any:
        """Some of them through a step: if one flies apart, each by itself."""

        def move() -> None:
            members = [self.creatures[k] for k in part]
            kept = [GaitState(*(array.copy() for array in one.gait_state)) for one in members]
            try:
                Puppet.advance_together(members, [self.around] * len(members))
            except SimulationError:
                for k, state in zip(part, kept, strict=True):
                    self.move_alone(k, state, spoilt=len(part) == 1)

        return move

    def move_alone(self, k: int, kept: GaitState, spoilt: bool) -> None:
        """One of a forest that flew apart; its body is still where it was unless it was alone."""
        one = self.creatures[k]
        try:
            if spoilt:
                raise SimulationError("it has flown apart")
            for array, old in zip(one.gait_state, kept, strict=True):
                array[:] = old
            one.advance_frame(self.around)
        except SimulationError:
            one.restore(self.begun)
            self.failed[k] = True

    def find_trunk(self) -> Trunk:
        """The thorax."""
        places, velocities, axes = [], [], []
        for one in self.creatures:
            place, turn = one.tree.place_links(one.body_state.q)
            places.append(place[0])
            velocities.append(turn[0] @ one.body_state.v[3:6])
            axes.append(turn[0].T)
        return Trunk(np.array(places), np.array(velocities), np.array(axes))

    def look(self) -> np.ndarray:
        weight = self.creatures[0].plan.total_mass * self.world.physics.gravity
        rows = []
        for one in self.creatures:
            state, system = one.body_state, one.system
            load = one.felt.leg_load
            rest = one.gait_state.rest_next[: len(self.joint_names)]
            rows.append(
                np.concatenate([
                    state.v[:3],
                    state.q[system.joint_q] - self.standing[: len(self.joint_names)],
                    state.v[system.joint_v],
                    rest[self.moved] - self.standing[self.moved],
                    load > TOUCHES * weight,
                    load / weight,
                ])
            )  # fmt: skip
        return np.array(rows)

    def find_fallen(self) -> np.ndarray:
        """Those that lie on a side or on their backs."""
        return np.asarray(self.trunk.axes[:, 1, 1] < UPRIGHT)
