"""Which tests `tools/mutants.py` runs on the mutants of a file; all are part of `make test`."""

# What runs first on the mutants of a file: what is quick and strict.
RIGID, DRAG = "verification/test_rigid_bodies.py", "verification/test_bodies_in_water.py"
SWIM, WATER = "verification/test_muscles.py", "verification/test_water.py"
ITEMS, MESHES = "unit/test_terrain_items.py", "parity/test_terrain_meshes.py"
SHAPES, SYMMETRY = "unit/test_terrain_shapes.py", "property/test_water_symmetry.py"
RECORD = ["unit/test_recording.py", "unit/test_recording_writer.py"]
FIRST = {
    "elastic": [
        "unit/test_damping.py",
        "verification/test_coupled_chain.py::test_momentum_is_kept",
    ],
    "elastic/contact.py": ["sweep/test_species_terrain.py::test_lands_and_does_not_sink"],
    "elastic/damping.py": ["unit/test_damping.py", "verification/test_coupled_chain.py"],
    "elastic/drag.py": [f"{SWIM}::test_drag_is_that_of_the_front", SWIM, DRAG],
    "elastic/energy.py": ["parity/test_rotation.py", "parity/test_energy.py"],
    "elastic/muscle.py": [SWIM],
    "elastic/muscle_build.py": [SWIM],
    "elastic/tets.py": ["property/test_elastic_forces.py"],
    "elastic/untangle.py": ["verification/test_elastic_recovery.py"],
    "rigid": [RIGID],
    "rigid/contact.py": [RIGID, "unit/test_near_lanes.py"],
    "rigid/shapes.py": ["unit/test_rigid_shapes.py", RIGID],
    "rigid/drag.py": [f"{SWIM}::test_drag_is_that_of_the_front", SWIM, DRAG],
    "control": ["unit/test_control_parts.py", "unit/test_switcher.py"],
    "control/amphibious.py": ["verification/test_amphibious.py"],
    "control/antennae.py": ["unit/test_body_access.py", "unit/test_antennae.py"],
    "control/bodies.py": ["unit/test_body_access.py", "unit/test_targeter.py"],
    "control/brain.py": ["unit/test_brain.py"],
    "control/build.py": ["unit/test_control_parts.py", "unit/test_leg.py"],
    "control/leg.py": ["unit/test_leg.py", "unit/test_control_parts.py"],
    "control/look.py": ["unit/test_control_parts.py", "unit/test_targeter.py"],
    "control/random.py": ["unit/test_random.py"],
    "control/sight.py": ["unit/test_sight.py"],
    "control/swim.py": [SWIM],
    "control/swim_build.py": [SWIM],
    "control/targeter.py": ["unit/test_targeter.py"],
    "terrain": ["parity/test_terrain.py", ITEMS, MESHES],
    "terrain/heightfield.py": [f"{MESHES}::test_height_is_the_sum_of_gaussians", MESHES],
    "terrain/mesh_build.py": [MESHES],
    "terrain/mesh_load.py": [ITEMS],
    "terrain/heights.py": [ITEMS],
    "terrain/logs.py": [SHAPES, ITEMS],
    "terrain/mesh_query.py": [MESHES],
    "terrain/mesh_ray.py": [MESHES],
    "terrain/mesh_repair.py": [ITEMS],
    "terrain/mesh_tree.py": [SHAPES, MESHES],
    "terrain/mesh_cells.py": [MESHES],
    "terrain/shapes.py": [SHAPES, MESHES],
    "terrain/skull.py": [SHAPES, MESHES],
    "terrain/surface_nets.py": [SHAPES, MESHES],
    "water": [SYMMETRY, WATER],
    "water/pool.py": ["unit/test_water_scene.py", WATER],
    "water/rain.py": ["unit/test_random.py", "unit/test_water_scene.py", WATER],
    "water/surface.py": ["unit/test_water_scene.py", DRAG],
    "water/together.py": [f"{WATER}::test_threads_change_nothing"],
    "water/water.py": ["unit/test_water_scene.py", "unit/test_water_world.py"],
    "record": RECORD,
    "record/memory.py": ["unit/test_view_parts.py"],
}
# What runs on those of a room that are left: whole animals and the rest.
ANIMALS = [
    "verification/test_myriapod_walk.py",
    "verification/test_coupled_chain.py",
    "unit/test_events.py",
    "sweep/test_myriapod_terrain.py::test_walks_with_its_feet_on_the_ground",
]
THEN = {
    "elastic": [
        "property/test_elastic_forces.py",
        DRAG,
        SWIM,
        "verification/test_elastic_recovery.py",
        "verification/test_beams.py",
        *ANIMALS,
        "sweep/test_species_terrain.py",
    ],
    "rigid": [DRAG, SWIM, *ANIMALS, "sweep/test_species_terrain.py"],
    "control": [
        "unit/test_leg.py",
        "unit/test_antennae.py",
        "unit/test_targeter.py",
        "unit/test_brain.py",
        "verification/test_amphibious.py",
        *ANIMALS,
        "unit/test_claims.py",
    ],
    "terrain": ["parity/test_terrain.py", ITEMS, MESHES, RIGID, *ANIMALS],
    "water": [
        WATER,
        "unit/test_water_scene.py",
        "unit/test_water_world.py",
        DRAG,
        "verification/test_amphibious.py",
    ],
    "record": [
        *RECORD,
        "unit/test_live_recordings.py",
        "verification/test_recording_killed.py",
        "verification/test_runs_identical.py",
        "unit/test_events.py",
    ],
}


def choose_tests(file: str, is_anew: bool) -> list[str]:
    room = file.split("/")[0]
    first = FIRST.get(file, FIRST[room])
    return list(dict.fromkeys([*first, *THEN[room]] if is_anew else first))
