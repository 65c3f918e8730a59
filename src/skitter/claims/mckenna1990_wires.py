"""The claim of McKenna 1990 figure 9: wires that a hexapod walks into; some break."""

import numpy as np

from skitter.claims.mckenna1990_scenes import NAME, run_scene, walk_whole
from skitter.claims.registry import Finding, claim
from skitter.measure.articulated_balance import falls

SECONDS = 4.0


@claim(
    id="mckenna1990/wires-break",
    paper="McKenna 1990 figure 9",
    statement="Wires break where their closing force passes a limit, and the hexapod gets through",
    scene=f"roach_wires, {SECONDS:g} s",
    sense="at least",
    expected=1.0,
    unit="wires",
    why="how many broke; 0 where the whole roach is not past the last wire in the end",
)
def measure_wires() -> Finding:
    recording = run_scene("roach_wires", SECONDS)
    roach = walk_whole("roach_wires", SECONDS)
    names = [one["name"] for one in recording.creatures if one["name"] != NAME]
    wires = {name: walk_whole("roach_wires", SECONDS, name=name) for name in names}
    broken = {name: one.read("closure_intact")[-1].min() == 0 for name, one in wires.items()}
    last = max(float(one.read("body_position")[0, :, 0].max()) for one in wires.values())
    past = float(roach.read("body_position")[-1, :, 0].min()) - last
    parts = {
        f"{name}.largest force at a frame, dyn": float(np.abs(one.read("closure_force")).max())
        for name, one in wires.items()
    }
    parts |= {f"{name}.broken": float(is_broken) for name, is_broken in broken.items()}
    parts |= {"roach.past the last wire, cm": past, "roach.falls": falls(roach)}
    return Finding(float(sum(broken.values())) if past > 0 else 0.0, parts)
