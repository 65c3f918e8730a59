"""Creatures of links that move together, since they may push each other: one forest, one clock.

A frame goes in short intervals. In each, every gait decides first where its joints' springs shall
pull, for the interval; then the springs, the ground and what is touched decide what comes of it.
Near others it goes in parts, each of some steps, with what others do to them as forces; where
nobody is touched, parts change nothing.

Runge-Kutta may find that a step was too long. Then everything that had passed goes back: joints,
gaits, pads and closures are put back as they were, and a shorter step is tried (McKenna 1990
section 3.1).
"""

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from skitter.creatures.articulated.touch import join_pushes
from skitter.creatures.creature import Around
from skitter.errors import SimulationError
from skitter.rigid.tree.pushing import PUSH_FORCE
from skitter.rigid.tree.steps import (
    NO_PUSHES,
    Outside,
    accept_runge_kutta,
    build_room,
    step_implicit,
    try_runge_kutta,
    undo_runge_kutta,
)
from skitter.rigid.tree.system import Felt, count_before, join_states, join_systems, part_rows

if TYPE_CHECKING:
    from skitter.creatures.articulated.articulated import Articulated

THINK = 0.001  # s, the longest that a gait decides for
SHRINK, GROW, SAFE = 0.2, 5.0, 0.9  # of the next step, by the error of the last
SLACK = 1e-9  # of a step


class Company:
    """Some creatures through frames; `start` begins each."""

    def __init__(self, members: Sequence["Articulated"]):
        self.members, self.systems = list(members), [one.system for one in members]
        self.system = join_systems(self.systems)
        states = [one.body_state for one in members]
        q_size, v_size = (sum(len(getattr(one, key)) for one in states) for key in ("q", "v"))
        self.room = build_room(self.system, q_size, v_size)

    def is_of(self, members: Sequence["Articulated"]) -> bool:
        """Whether it is the company of these, as they are now."""
        if len(members) != len(self.members):
            return False
        known = zip(members, self.members, self.systems, strict=True)
        return all(one is other and one.system is system for one, other, system in known)

    def start(self, arounds: Sequence[Around]) -> None:
        """What is around them in the next frame, and where they are."""
        members, self.around = self.members, arounds[0]
        alone = len(members) == 1
        self.states = [one.body_state for one in members]
        self.state = self.states[0] if alone else join_states(self.states)
        self.felt = members[0].felt if alone else join_felt([one.felt for one in members])
        self.felt.impulse[:] = 0.0
        self.felt.angular[:] = 0.0
        self.room.seen[:] = -1.0  # nothing yet: terrain may have changed
        self.outside = Outside(
            np.array([0.0, -members[0].physics.gravity, 0.0]),
            self.around.terrain.arrays,
            self.around.things.barrier.arrays,
            NO_PUSHES,
        )
        self.evaluations, self.shortest = 0, self.around.seconds
        self.now, self.step = self.around.time, float(members[0].next_step[0])
        self.thought = -1  # the last interval that was decided for
        for one in members:
            one.pushes = NO_PUSHES

    def advance(self, part: int = 0, parts: int = 1) -> None:
        """Through the frame, or one of so many parts of it, one after the other."""
        solvers = [one.species.solver for one in self.members]
        if any(one.method == "runge_kutta" for one in solvers):
            self.advance_runge_kutta(part, parts)
        else:
            self.advance_implicit(min(one.time_step for one in solvers), part, parts)
        for one in self.members:
            # given; but who was pushed in a frame keeps its momentum to the end of it
            one.pushes[:, PUSH_FORCE : PUSH_FORCE + 3] = 0.0
        self.hand_out()

    def push(self, seconds: float) -> Outside:
        """What is around them, with the impulses that they were given as forces of so long."""
        if not any(len(one.pushes) for one in self.members):
            return self.outside
        links = count_before([len(one.system.links) for one in self.members])
        legs = count_before([len(one.system.foot) for one in self.members])
        pushes = join_pushes([one.pushes for one in self.members], list(links), list(legs))
        pushes[:, PUSH_FORCE : PUSH_FORCE + 3] /= seconds
        return self.outside._replace(pushes=pushes)

    def advance_implicit(self, longest: float, part: int, parts: int) -> None:
        """Steps of one length, some to each interval; parts need not end with one."""
        thoughts, steps = self.divide_frame(longest, parts)
        step, total = self.around.seconds / (thoughts * steps), thoughts * steps
        at, end = total * part // parts, total * (part + 1) // parts
        outside = self.push((end - at) * step)
        self.think_once(0, steps, step)
        while at < end:
            thought, k = divmod(at, steps)
            now, many = self.around.time + thought * steps * step, min(steps - k, end - at)
            done = step_implicit(self.system, outside, self.state, step, many, self.room, self.felt)
            # also asked here: a kernel that may reorder sums finds x - x to be 0 whatever x is
            if done < many or not np.isfinite(self.state.v).all():
                self.fail(
                    now + (k + done) * step, self.find_wildest(), "a smaller solver.time_step"
                )
            if k + many == steps:
                self.sense(now + steps * step, steps * step)
            at += many
            if at < total:
                self.think_once(at // steps, steps, step)
        self.evaluations, self.shortest = total, step

    def divide_frame(self, longest: float, parts: int) -> tuple[int, int]:
        """Intervals of a frame, and the steps of each."""
        seconds = self.around.seconds
        thoughts = ceil(seconds / max(THINK, longest) - SLACK)
        steps = ceil(seconds / thoughts / longest - SLACK)
        return thoughts, max(steps, ceil(parts / thoughts))  # no part is without a step

    def think_once(self, thought: int, steps: int, step: float) -> None:
        """Decide for an interval as soon as the one before has passed: what comes is then known
        when others meet them."""
        if thought > self.thought:
            self.thought = thought
            self.think(self.around.time + thought * steps * step, steps * step)

    def think_first(self) -> None:
        """Decide for the first interval of a frame in parts, before others meet them."""
        solvers = [one.species.solver for one in self.members]
        if all(one.method == "implicit" for one in solvers):
            thoughts, steps = self.divide_frame(min(one.time_step for one in solvers), 1)
            self.think_once(0, steps, self.around.seconds / (thoughts * steps))

    def advance_runge_kutta(self, part: int, parts: int) -> None:
        """Steps as long as their errors allow, and back in time where they were not."""
        solvers = [one.species.solver for one in self.members]
        tolerance, least = (
            min(getattr(one, key) for one in solvers) for key in ("tolerance", "shortest_step")
        )
        walks = any(one.gait is not None for one in self.members)
        end = self.around.time + self.around.seconds * (part + 1) / parts
        longest = THINK if walks else self.around.seconds
        step, now = min(self.step, longest), self.now
        outside = self.push(end - now)
        while now < end - SLACK * longest:
            step = min(step, longest, end - now)
            kept = [one.keep() for one in self.members]
            self.think(now, step)
            error = try_runge_kutta(
                self.system, outside, self.state, step, tolerance, self.room, self.felt
            )
            self.evaluations += 7
            if error <= 1.0:
                accept_runge_kutta(self.system, outside, self.state, step, self.room, self.felt)
                self.shortest = min(self.shortest, step)
                now += step
                self.sense(now, step)
            else:
                wildest = self.find_wildest()
                undo_runge_kutta(self.state, self.room)
                for one, state in zip(self.members, kept, strict=True):
                    one.put_back(state)
                if step <= least or not np.isfinite(self.room.v[0]).all():
                    self.fail(now, wildest, "a larger solver.tolerance, or method: implicit")
            ratio = SAFE * error**-0.2 if error > 0 else GROW
            step = max(step * min(max(ratio, SHRINK), GROW), least) if error == error else least
        self.now, self.step = now, step
        self.members[0].next_step[0] = step

    def think(self, now: float, seconds: float) -> None:
        """Let all gaits decide for an interval."""
        at = leg = 0
        for one in self.members:
            joints, legs = len(one.body_state.rest), len(one.body_state.standing)
            if one.gait is not None:
                one.think(now, seconds)
                self.state.rest[at : at + joints] = one.gait_state.rest[:joints]
                self.state.rest_speed[at : at + joints] = one.gait_state.rest_speed[:joints]
                self.state.standing[leg : leg + legs] = 1 - one.gait_state.stepping
            at, leg = at + joints, leg + legs

    def sense(self, now: float, seconds: float) -> None:
        """Tell all legs what they felt."""
        at = leg = link = 0
        for one in self.members:
            joints, legs = len(one.body_state.rest), len(one.body_state.standing)
            if legs:
                loads = self.felt.leg_load[leg : leg + legs]
                forces = self.felt.leg_force[leg : leg + legs]
                angles = self.state.q[self.system.joint_q[at : at + joints]]
                one.sense(now, seconds, loads, forces, angles, self.room.axes[link])
            at, leg, link = at + joints, leg + legs, link + len(one.system.links)

    def hand_out(self) -> None:
        """Give every member what is its own."""
        if len(self.members) > 1:
            part_rows(self.state, self.states)
            part_rows(self.felt, [one.felt for one in self.members])
        for one in self.members:
            one.evaluations[0], one.shortest[0] = self.evaluations, self.shortest

    def find_wildest(self) -> str:
        """Name of the member that moves fastest, or no longer as a number."""
        ends = np.cumsum([len(one.body_state.v) for one in self.members])
        speeds = np.nan_to_num(abs(self.state.v), nan=np.inf)
        most = [part.max(initial=0.0) for part in np.split(speeds, ends[:-1])]
        return self.members[int(np.argmax(most))].name

    def fail(self, now: float, name: str, remedy: str) -> None:
        """Say who flew apart."""
        raise SimulationError(
            f"creature '{name}' flies apart at {now:.5f} s; try {remedy}, softer springs or more"
            " damping"
        )


def start_company(members: Sequence["Articulated"], arounds: Sequence[Around]) -> Company:
    """The company of some creatures, at the start of a frame."""
    for one, around in zip(members, arounds, strict=True):
        one.frame_seconds[0] = around.seconds
        if not one.is_steered[0]:
            one.obey(around.time)
    return gather(members, arounds)


def gather(members: Sequence["Articulated"], arounds: Sequence[Around]) -> Company:
    """The company of these creatures, ready for a frame; that of the last one where it can."""
    company = members[0].company_before
    if company is None or not company.is_of(members):
        company = members[0].company_before = Company(members)
    company.start(arounds)
    return company


def join_felt(felt: Sequence[Felt]) -> Felt:
    return Felt(*(np.concatenate(parts) for parts in zip(*felt, strict=True)))
