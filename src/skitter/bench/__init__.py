"""Speed, as ratios measured side by side in one run: these are what a noisy machine can tell.

A benchmark returns a record with `value`, the `baseline` it is compared with, their `ratio`, and,
where that makes sense, `limit_share`: the share of what the core could do at most.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Benchmark:
    """Something whose speed is measured."""

    id: str
    title: str
    run: Callable[[], list[Record]]


def _elastic() -> list[Record]:
    from skitter.bench.elastic import run_elastic

    return run_elastic()


def _chain() -> list[Record]:
    from skitter.bench.chain import run_chain

    return run_chain()


def _myriapod() -> list[Record]:
    from skitter.bench.myriapod import run_myriapod

    return run_myriapod()


def _water() -> list[Record]:
    from skitter.bench.water import run_water

    return run_water()


def _rooms() -> list[Record]:
    from skitter.bench.rooms import run_rooms

    return run_rooms()


def _sweep() -> list[Record]:
    from skitter.bench.sweep import run_sweep_corner

    return run_sweep_corner()


def _worm() -> list[Record]:
    from skitter.bench.worm import run_worm

    return run_worm()


def _hexapod() -> list[Record]:
    from skitter.bench.hexapod import run_hexapod

    return run_hexapod()


def _climbers() -> list[Record]:
    from skitter.bench.climbers import run_climbers

    return run_climbers()


def _gym() -> list[Record]:
    from skitter.bench.gym import run_gym

    return run_gym()


BENCHMARKS = (
    Benchmark("elastic", "tetrahedra per second on one core, lanes against a plain loop", _elastic),
    Benchmark("chain", "steps per second of 18 boxes joined by 17 soft blocks", _chain),
    Benchmark("water", "sub-steps per second of 200 x 200 cells of water, against NumPy", _water),
    Benchmark("myriapod", "steps per second of walking creatures, and how it grows", _myriapod),
    Benchmark("rooms", "what each room of the code costs in the default scene", _rooms),
    Benchmark("worm", "steps per second of a worm at 0.02 s, and what its solver costs", _worm),
    Benchmark(
        "hexapod", "forward dynamics of 38 degrees of freedom, and a walking roach", _hexapod
    ),
    Benchmark(
        "climbers", "a tarantula in full dynamics, and how many fit into real time", _climbers
    ),
    Benchmark("gym", "steps per second of Gymnasium environments, beside MuJoCo's", _gym),
    Benchmark("sweep", "swims per second of a sweep over an eel's strokes, on two cores", _sweep),
)


def list_benchmarks() -> list[Record]:
    return [{"id": benchmark.id, "title": benchmark.title} for benchmark in BENCHMARKS]


def run_benchmarks(ids: list[str] | None = None) -> list[Record]:
    """Run the benchmarks with these ids, or all."""
    wanted = [b for b in BENCHMARKS if not ids or b.id in ids]
    return [record for benchmark in wanted for record in benchmark.run()]


def make_record(
    id: str, value: float, unit: str, baseline: float, limit_share: float | None = None, **more: Any
) -> Record:
    """A record in the shape of the contract."""
    ratio = value / baseline if baseline else None
    return {
        "id": id,
        "value": value,
        "unit": unit,
        "baseline": baseline,
        "ratio": ratio,
        "limit_share": limit_share,
        **more,
    }
