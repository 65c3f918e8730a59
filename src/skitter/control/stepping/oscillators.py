"""One oscillator for each leg, coupled so that Wilson's rules hold (McKenna 1990 section 3.2).

The phase φ of an oscillator is counted in cycles. When it passes a whole number, its leg is due to
step. A step lasts the same time S always (rule 3), and the rest of the cycle is stance. The paper
names the rules and gives no equations; these are ours.

**Relations.** All oscillators run at the master frequency f (rule 4: f is free). A leg steps a
fixed time L after the one behind it on its side (rules 1 and 5), which is L f cycles:

    φ(leg) = φ(behind) − L f ,

and the legs of a pair are half a cycle apart (rule 2): φ(leg) = φ(across) ± 1/2. Both hold at once
for any f, as the lags of both sides are equal. L ≥ S, so that the one behind has landed.

**Pull.** With d the cycles that a relation is away from holding, for the leg behind and for the leg
across,

    dφ/dt = f + Σ (c / 2π) sin 2π d ,      d = φ(other) + offset − φ(leg),

which is c d for small d, and the shortest way round for large ones. Where all relations hold, all
pulls are zero and every oscillator keeps the master frequency. Small errors die out: the difference
of the rearmost pair, which only feels each other, as exp(−2 c t); in every other pair the mean as
exp(−c t), drawn by the pair behind, and the difference as exp(−3 c t). No other state is stable, so
legs find the pattern from any start. Nothing before it pulls a leg: the wave runs forward only.
Rates stay between f/2 and 3f/2, so that a phase neither shrinks nor lets a leg step twice in a row.

**From wave to tripod.** At a low f a lag is a small part of the cycle: a wave runs along each side
and then all legs stand. At the fastest f = 1/(2L) a lag is half a cycle, neighbours on a side
alternate as pairs do, and half of the legs step together: two, diagonal ones of four (a trot), the
tripod of six, the tetrapod of eight. In between the relations change smoothly with f, and so does
the gait. If L = S, as in the paper, legs stand as long as they step at the fastest f; with L > S
they stand longer.

**Waiting.** A leg that is due waits while the one behind it is in the air (the parenthesis of rule
1), or while its load holds it (`reflexes.py`). Its oscillator waits at the whole number with it, so
that those before it wait too. A wait ends at the very moment at which the one behind lands: at the
fastest f, where both moments are one, nobody waits. As a step ends whatever happens, and legs wait
only for those behind, nobody waits for ever.
"""

from math import inf, pi, sin

from skitter.compiled import inlined
from skitter.control.stepping.model import COUPLING, LAG, LONGEST
from skitter.control.stepping.reflexes import bears_too_much

SLOWEST_SHARE, FASTEST_SHARE = 0.5, 1.5  # of the master frequency: the rates of oscillators
STEP_CYCLES = 0.75  # of its cycle that a leg spends in the air at most, however long its step gets


@inlined
def pull(distance):
    """Pull of a relation that is some cycles from holding, in cycles."""
    return sin(2.0 * pi * distance) / (2.0 * pi)


@inlined
def set_rates(model, state, frequency):
    """The rates of all oscillators, from their phases at the beginning of the interval."""
    coupling, lag = model.timing[COUPLING], model.timing[LAG] * frequency
    for k in range(model.order.size):
        total = 0.0
        behind, across = model.behind[k], model.across[k]
        if behind >= 0:
            total += pull(state.phase[behind] - lag - state.phase[k])
        if across >= 0:
            total += pull(state.phase[across] + model.across_phase[k] - state.phase[k])
        rate = frequency + coupling * total
        state.rate[k] = min(max(rate, SLOWEST_SHARE * frequency), FASTEST_SHARE * frequency)


@inlined
def run_in_step(state, k, seconds):
    """Let the oscillator of a leg in the air run; some of its cycle is left to stand in."""
    most = state.peak[k] - 1.0 + STEP_CYCLES
    state.phase[k] = max(state.phase[k], min(state.phase[k] + state.rate[k] * seconds, most))


@inlined
def find_due(state, k, now):
    """When the oscillator of a standing leg reaches its whole number; it must have some rate."""
    left = state.peak[k] - state.phase[k]
    if left <= 0.0:
        return now
    return now + left / state.rate[k] if state.rate[k] > 0.0 else inf


@inlined
def find_start(model, state, sense, k, now):
    """When a leg that is due may step, as far as is known now; infinite if that is not known."""
    start = now
    if bears_too_much(model, sense, k):
        start = max(start, state.due_time[k] + model.limits[LONGEST])
    behind = model.behind[k]
    if behind < 0:
        return start
    if state.stepping[behind] and state.lift_time[behind] <= start:
        return inf
    return max(start, state.land_time[behind])
