"""A worm that undulates by what it feels: bends run down its body because each follows the last.

In the line of Boyle et al. 2012, Wen et al. 2012, Denham et al. 2018 and Ji et al. 2021; equations
and numbers are our own. With k the bend of a station as a share of the bend that is asked for, and
T the time in which receptors answer:

    feeling     T dP/dt = k + b dk/dt - P
    head        bends to one side until its mean P reaches the threshold there, then to the other
    behind it   x = tanh(mean of P over the reach ahead / softness)
    gain        c = <k²>/<e k> , by which k is divided
    load        r = <(e - k) dk/dt>/<(dk/dt)²> - free , T = quick + slow r/(r + half)

where e is the bend that the muscles' activation would hold in no medium, so that e - k is what
holds the body back. c is how far the muscles bend this body, of what its spec says, and r the time
in which a medium lets the body follow its muscles. With e = k/c + r dk/dt both come out right
whatever the other is, as k is never in step with its own rate. Averages run over some seconds, for
r over mid body and of bends smoothed along it, as a jump from one station to the next meets hardly
any drag. `free` is what the body itself damps.

Why a load at all: where a body of 110 kPa crawls on agar along its own track, drag is about a
hundredth of what its muscles work against, and a chain of reflexes alone goes as fast there as in
water. Boyle et al. 2012 need no such sense with a body far softer than that. That a state of the
whole circuit goes with the gait has been found, by way of amines (Vidal-Gadea et al. 2011), and is
disputed; that receptors become slower under load is our assumption. Nothing else tells media apart.

Backward, the same chain runs from the tail. A turn moves the bend that counts as straight.
"""

import numpy as np

from skitter.control.stations import PLACE, STATIONS, State, blend, weigh_range
from skitter.species.crawl import ReflexDrive

FORWARD, BACKWARD = 0, 1
RATE_TIME = 0.01  # s, over which the rate of bending is smoothed
SMOOTH = 0.25  # of the length, over which load is smoothed
STILL = 0.02  # 1/s², squared rate of bending under which load counts for little
LEARN_TIME = 3.0  # s, over which it learns how far its muscles bend it
DOUBT = 0.004  # squared bend, of the asked one, up to which it believes its spec instead
MOST_GAIN = 4.0  # that it may learn, times or by that of its spec
SLOWEST = 0.1  # speed below which it goes no slower


class Chain:
    """Who feels what, for a way to go: [24, 24] weights of each station's reach, [24] of the
    head's, and the stations [24] that the head's switch drives."""

    def __init__(self, spec: ReflexDrive) -> None:
        self.reach = np.array([weigh_range(place - spec.reach, place) for place in PLACE])
        self.sense = weigh_range(0.0, spec.head.sense)
        self.driven = max(spec.head.span, 1 / STATIONS) > PLACE  # one station at the least

    def mirror(self) -> "Chain":
        """The same from the tail on."""
        self.reach = self.reach[::-1, ::-1].copy()
        self.sense = self.sense[::-1].copy()
        self.driven = self.driven[::-1].copy()
        return self


class Reflex:
    """The circuit of one worm."""

    def __init__(self, spec: ReflexDrive) -> None:
        self.spec = spec
        self.chains = (Chain(spec), Chain(spec).mirror())
        near = np.abs(PLACE[:, None] - PLACE) <= SMOOTH / 2
        self.smooth = near / near.sum(axis=1, keepdims=True)
        self.loaded = weigh_range(*spec.load.part)
        self.state = self.start()

    def start(self) -> State:
        random = np.random.default_rng(self.spec.seed)
        return {
            "bend": np.full(STATIONS, np.nan),  # at the last step, of the asked bend
            "rate": np.zeros(STATIONS),  # of it, 1/s, smoothed
            "felt": np.zeros(STATIONS),  # P
            "felt_head": np.zeros(()),  # mean P of the head, of a rate of its own
            "side": np.array(float(random.choice([-1, 1]))),  # that the head bends to
            "since": np.zeros(()),  # s since it changed sides
            "way": np.array(float(FORWARD)),
            "bent": np.zeros(STATIONS),  # <k²>
            "agreed": np.zeros(STATIONS),  # <e k>
            "work": np.zeros(()),  # <(e - k) dk/dt>
            "speed": np.zeros(()),  # <(dk/dt)²>
            "count": np.zeros(()),  # half cycles so far, less those backward
            "progress": np.zeros(()),  # of the present half cycle
        }

    @property
    def phase(self) -> float:
        sign = 1.0 if self.state["way"] == FORWARD else -1.0
        return 0.5 * float(self.state["count"] + sign * self.state["progress"])

    @property
    def felt_load(self) -> float:
        """How hard bending is, s, what the body itself resists included."""
        return float(self.state["work"] / (self.state["speed"] + STILL))

    @property
    def load(self) -> float:
        """How hard the medium makes it, s."""
        return max(0.0, self.felt_load - self.spec.load.free)

    def ask(
        self, bend: np.ndarray, active: np.ndarray, seconds: float, speed: float, turn: float
    ) -> np.ndarray:
        spec = self.spec
        scale = max(spec.amplitude, 1e-3)
        share = self.learn(bend / (spec.full_bend * scale), active / scale, seconds)
        self.feel_load(share, active / scale, seconds)
        straight = spec.steer * turn / scale
        chain = self.face(speed)
        self.feel(share - straight, chain, blend(seconds, self.answer_time(speed)))
        self.switch(seconds)
        asked = np.tanh(chain.reach @ self.state["felt"] / spec.softness)
        asked[chain.driven] = float(self.state["side"])
        return scale * (asked + straight)

    def learn(self, share: np.ndarray, active: np.ndarray, seconds: float) -> np.ndarray:
        """The bend as a share of what the muscles can do here, as seen over the last seconds."""
        state = self.state
        part = blend(seconds, LEARN_TIME)
        state["bent"] = state["bent"] + part * (share**2 - state["bent"])
        state["agreed"] = state["agreed"] + part * (active * share - state["agreed"])
        gain = (state["bent"] + DOUBT) / np.maximum(state["agreed"] + DOUBT, 0.01 * DOUBT)
        return share / np.clip(gain, 1 / MOST_GAIN, MOST_GAIN)

    def feel_load(self, share: np.ndarray, active: np.ndarray, seconds: float) -> None:
        """Take in the new bend: its rate, and what holds it back."""
        state = self.state
        last = np.where(np.isnan(state["bend"]), share, state["bend"])
        rate = (share - last) / seconds
        state["bend"] = share
        state["rate"] = state["rate"] + blend(seconds, RATE_TIME) * (rate - state["rate"])
        held, moved = self.smooth @ (active - share), self.smooth @ rate
        part = blend(seconds, self.spec.load.time)
        state["work"] = state["work"] + part * (self.loaded @ (held * moved) - state["work"])
        state["speed"] = state["speed"] + part * (self.loaded @ moved**2 - state["speed"])

    def answer_time(self, speed: float) -> float:
        """T in s. One that is told to go slowly answers as if its muscles were slower too."""
        spec = self.spec.load
        time = spec.quick + spec.slow * self.load / (self.load + spec.half)
        pace = max(abs(speed), SLOWEST)
        return time / pace + self.spec.lag * max(0.0, 1.0 / pace - 1.0)

    def face(self, speed: float) -> Chain:
        """The chain for the way to go. A new one starts with the bend that its end has."""
        state = self.state
        way = FORWARD if speed > 0 else BACKWARD if speed < 0 else int(state["way"])
        chain = self.chains[way]
        if way != int(state["way"]):
            count = 2.0 * self.phase
            state["felt_head"] = np.array(chain.sense @ state["felt"])
            state["side"] = np.array(1.0 if state["felt_head"] >= 0 else -1.0)
            state["way"], state["since"] = np.array(float(way)), np.zeros(())
            state["count"], state["progress"] = np.array(count), np.zeros(())
        return chain

    def feel(self, share: np.ndarray, chain: Chain, part: float) -> None:
        state, spec = self.state, self.spec
        felt = share + spec.rate * state["rate"]
        felt_head = chain.sense @ (share + spec.head.rate * state["rate"])
        state["felt"] = state["felt"] + part * (felt - state["felt"])
        state["felt_head"] = state["felt_head"] + part * (felt_head - state["felt_head"])

    def switch(self, seconds: float) -> None:
        """The head turns to its other side when it feels bent enough, or has waited too long."""
        state, spec = self.state, self.spec.head
        state["since"] = state["since"] + seconds
        reached = float(state["felt_head"] * state["side"])
        threshold = spec.threshold * (1.0 - (float(state["since"]) / spec.patience) ** 2)
        progress = np.clip(0.5 + 0.5 * reached / spec.threshold, 0.0, 1.0)
        state["progress"] = np.maximum(state["progress"], progress)
        if reached > threshold:
            sign = 1.0 if state["way"] == FORWARD else -1.0
            state["side"], state["since"] = -state["side"], np.zeros(())
            state["count"], state["progress"] = state["count"] + sign, np.zeros(())
