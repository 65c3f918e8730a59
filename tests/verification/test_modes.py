"""Vibration modes against SciPy's dense solver, beam theory and the energy they must save."""

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csc_array

from plain_stvk import compute_energy, compute_stiffness
from skitter.creatures.worm.anatomy import build_body
from skitter.elastic import mode_cache
from skitter.elastic.block import build_nodes, build_topology, compute_lame
from skitter.elastic.mesh_files import tidy
from skitter.elastic.mode_cache import load_derivative, load_modes
from skitter.elastic.modes import (
    Material,
    Modes,
    build_rigid_motions,
    build_stiffness,
    compute_derivative,
    compute_masses,
    compute_modes,
    straighten,
)
from skitter.elastic.raw_mesh import RawMesh
from skitter.elastic.tet_mesh import TetMesh
from skitter.elastic.undulation import describe_modes, find_undulation
from skitter.errors import UserError

YOUNG, DENSITY = 1.1e6, 1.05  # Backholm 2013's worm, dyn/cm² and g/cm³
BETA = np.array([4.730041, 7.853205, 10.995608])  # free beam, cosh(b) cos(b) = 1


def fill(mesh: TetMesh, poisson: float = 0.3) -> Material:
    mu, lam = compute_lame(YOUNG, poisson)
    return Material(*(np.full(len(mesh.tets), value) for value in (mu, lam, DENSITY)))


def build_beam(cells: tuple[int, int, int], size: tuple[float, float, float]) -> TetMesh:
    topology = build_topology(cells)
    nodes, tets = build_nodes(cells, np.array(size)), topology.tets
    return TetMesh(nodes, tets, np.zeros(len(tets), int), ("all",), np.zeros((len(tets), 3)))


def solve(mesh: TetMesh, material: Material, count: int) -> Modes:
    masses = compute_masses(mesh, material)
    return compute_modes(mesh.nodes, build_stiffness(mesh, material), masses, count)


@pytest.fixture(scope="module")
def worm() -> TetMesh:
    return build_body(length=0.1, radius=0.004)


@pytest.fixture(scope="module")
def worm_modes(worm: TetMesh) -> Modes:
    return solve(worm, fill(worm, 0.45), 16)


@pytest.fixture(scope="module")
def small() -> TetMesh:
    """A bent, uneven little body without any symmetry."""
    beam = build_beam((4, 2, 1), (0.4, 0.15, 0.1))
    random = np.random.default_rng(3)
    nodes = beam.nodes + random.uniform(-0.01, 0.01, beam.nodes.shape)
    nodes[:, 1] += nodes[:, 0] ** 2
    return TetMesh(nodes, beam.tets, beam.region, beam.region_names, beam.fibre)


def test_stiffness_is_that_of_the_plain_twin(small: TetMesh) -> None:
    material = fill(small)
    args = (small.nodes, small.nodes, small.tets, material.mu, material.lam)
    expected = compute_stiffness(*args, step=1e-3)
    found = build_stiffness(small, material).toarray()
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def test_modes_equal_those_of_a_dense_solver(small: TetMesh) -> None:
    material = fill(small)
    modes = solve(small, material, 12)
    masses = np.repeat(compute_masses(small, material), 3)
    args = (small.nodes, small.nodes, small.tets, material.mu, material.lam)
    stiffness = compute_stiffness(*args, step=1e-3)
    values, vectors = eigh((stiffness + stiffness.T) / 2, np.diag(masses))
    assert modes.omega_squared[6:] == pytest.approx(values[6:18], rel=1e-8)
    overlap = modes.shapes.reshape(18, -1) @ (masses[:, None] * vectors[:, :18])
    assert np.abs(np.diag(overlap)[6:]) == pytest.approx(1, abs=1e-8)


def test_six_rigid_modes_at_zero(worm: TetMesh, worm_modes: Modes) -> None:
    """Straight from the definition: they stretch no edge, and all modes are orthonormal."""
    assert np.abs(worm_modes.omega_squared[:6]).max() < 1e-8 * worm_modes.omega_squared[6]
    flat = worm_modes.shapes.reshape(len(worm_modes.shapes), -1)
    masses = np.repeat(compute_masses(worm, fill(worm)), 3)
    assert np.abs(flat @ (masses[:, None] * flat.T) - np.eye(len(flat))).max() < 1e-9
    edges = worm.tets[:, [0, 1]].T
    apart = worm.nodes[edges[0]] - worm.nodes[edges[1]]
    for shape in worm_modes.shapes[:6]:
        moved = shape[edges[0]] - shape[edges[1]]
        assert np.abs(np.sum(apart * moved, axis=1)).max() < 1e-12 * np.abs(shape).max()
    rigid = build_rigid_motions(worm.nodes, masses[::3]).reshape(6, -1)
    assert np.abs(flat[6:] @ (masses * rigid).T).max() < 1e-10


def compute_beam(size: tuple[float, float, float]) -> np.ndarray:
    """Lowest bending frequencies of a free slender square beam, Hz (Euler and Bernoulli)."""
    length, width, _ = size
    stiff = YOUNG * width**4 / 12
    return BETA**2 / (2 * np.pi * length**2) * np.sqrt(stiff / (DENSITY * width**2))


def build_mirrored_beam(n: int, size: tuple[float, float, float]) -> TetMesh:
    """A beam that is its own mirror image in y and z: a quarter of it, four times."""
    quarter = build_beam((20 * n, n, n), (size[0], size[1] / 2, size[2] / 2))
    nodes = quarter.nodes + np.array([0, size[1] / 4, size[2] / 4])
    images = [nodes * (1, y, z) for y in (1, -1) for z in (1, -1)]
    places, number = np.unique(
        np.round(np.concatenate(images), 9) + 0.0, axis=0, return_inverse=True
    )
    tets = np.concatenate([quarter.tets + k * len(nodes) for k in range(4)])
    return tidy(RawMesh(places, number.ravel()[tets], ["all"] * len(tets)))


def bending_frequencies(n: int, size: tuple[float, float, float]) -> np.ndarray:
    mesh = build_mirrored_beam(n, size)
    assert mesh.volumes.sum() == pytest.approx(np.prod(size))
    looks = describe_modes(mesh.nodes, solve(mesh, fill(mesh, 0.0), 9))
    found = [[look.frequency for look in looks if look.half_waves == k] for k in (1, 2, 3)]
    assert all(len(pair) == 2 for pair in found)  # both ways
    return np.array([np.mean(pair) for pair in found])


def test_free_beam_frequencies_converge() -> None:
    """Linear tetrahedra are too stiff in bending, by an error that goes with the square of a cell.

    So three meshes and Richardson's extrapolation. Shear and rotation of sections (Timoshenko)
    lower the n-th frequency by the factor 1 - (β r/L)² (1 + E/κG) / 2 to first order (r = h/√12,
    E/κG = 2.4 for ν = 0), some percent at L/h = 20.
    """
    size = (2.0, 0.1, 0.1)
    coarse, middle, fine = (bending_frequencies(n, size) for n in (1, 2, 3))
    exact = compute_beam(size)
    radius = (size[1] / np.sqrt(12) / size[0]) ** 2
    expected = exact * (1 - BETA**2 * radius * (1 + 2.4) / 2)
    assert np.all(coarse > middle) and np.all(middle > fine) and np.all(fine > expected)
    limit = fine + (fine - middle) / ((3 / 2) ** 2 - 1)
    assert limit == pytest.approx(expected, rel=0.02)
    assert limit / limit[0] == pytest.approx([1, 2.7565, 5.4039], rel=0.05)
    assert np.abs(limit - expected).max() < np.abs(fine - expected).max() / 3


@pytest.mark.parametrize("apart", [1e-6, 0.03])
def test_close_frequencies_give_straight_modes(apart: float) -> None:
    """Two oblique modes of one frequency are as good as a horizontal and a vertical one."""
    mesh = build_body(length=0.1, radius=0.004, slabs=22, around=8)
    masses = compute_masses(mesh, fill(mesh))
    straight = solve(mesh, fill(mesh), 2).shapes[6:]
    moving = np.sum(straight**2, axis=1)  # [mode, axis]
    assert np.all(moving[:, 1:].max(axis=1) > 0.9 * moving.sum(axis=1))
    pair = straight.reshape(2, -1) * np.repeat(masses, 3)
    stiffness = csc_array(pair.T @ np.diag([1.0, 1.0 + apart]) @ pair)  # two modes only
    turn = np.array([(np.cos(0.5), np.sin(0.5)), (-np.sin(0.5), np.cos(0.5))])
    found = straighten(np.einsum("km,mnc->knc", turn, straight), stiffness, masses)
    overlap = np.abs(found.reshape(2, -1) @ pair.T)
    assert overlap == pytest.approx(np.eye(2), abs=1e-6)


def test_undulation_is_among_the_first_elastic_modes(worm: TetMesh, worm_modes: Modes) -> None:
    index = find_undulation(worm.nodes, worm_modes)
    assert 6 <= index < 6 + 16
    shape = worm_modes.shapes[index]
    assert np.sum(shape[:, 2] ** 2) > 0.9 * np.sum(shape**2)  # horizontal
    line = shape[::37, 2]  # the centre node of each slice: three turns, two zeros for a free beam
    assert np.sum(line[1:] * line[:-1] < 0) == 3
    assert line[0] > 0  # the head goes to the positive side
    lowest = [look for look in describe_modes(worm.nodes, worm_modes) if look.plane == "horizontal"]
    assert [look.half_waves for look in lowest[:4]] == [1, 2, 3, 4]


@pytest.mark.parametrize(("slabs", "around"), [(12, 8), (16, 12), (24, 8), (32, 8), (40, 12)])
def test_undulation_of_a_coarse_body_is_the_same(slabs: int, around: int) -> None:
    """Three crossings of the axis, however few slices there are."""
    body = build_body(length=0.1, radius=0.004, slabs=slabs, around=around)
    modes = solve(body, fill(body, 0.4), 16)
    shape = modes.shapes[find_undulation(body.nodes, modes)]
    assert np.sum(shape[:, 2] ** 2) > 0.8 * np.sum(shape**2)
    line = shape[:: len(body.nodes) // (slabs + 1), 2]
    assert len(line) == slabs + 1
    assert np.sum(line[1:] * line[:-1] < 0) == 3


def test_a_body_that_does_not_undulate_is_refused() -> None:
    cube = build_beam((3, 3, 3), (1.0, 1.0, 1.0))
    with pytest.raises(UserError, match="one full undulation"):
        find_undulation(cube.nodes, solve(cube, fill(cube), 3))
    with pytest.raises(UserError, match="modes asked for"):
        solve(build_beam((1, 1, 1), (1.0, 1.0, 1.0)), fill(build_beam((1, 1, 1), (1, 1, 1))), 20)


def test_modal_derivative_saves_energy(worm: TetMesh, worm_modes: Modes) -> None:
    """Along a mode alone the body stretches; with its derivative it only bends.

    To fourth order in the amplitude p the energy of p u + p² D / 2 is the least of all p u + p² v.
    """
    material = fill(worm, 0.45)
    index = find_undulation(worm.nodes, worm_modes)
    shape = worm_modes.shapes[index]
    D = compute_derivative(worm, material, build_stiffness(worm, material), shape)

    def energy(p: float, share: float) -> float:
        x = worm.nodes + p * shape + share * p**2 / 2 * D
        return compute_energy(x, worm.nodes, worm.tets, material.mu, material.lam)

    large = 0.01 / np.abs(shape).max()  # a tenth of the length
    assert energy(large, 0) > 10 * energy(large, 1)
    assert energy(large, 1) == pytest.approx(
        worm_modes.omega_squared[index] * large**2 / 2, rel=0.1
    )
    small = large / 20
    excess = [energy(small, share) for share in (0.9, 1.0, 1.1)]
    assert excess[1] < min(excess[0], excess[2])
    assert (excess[0] - excess[1]) == pytest.approx(excess[2] - excess[1], rel=0.05)


def test_modal_derivative_holds_no_rigid_motion(worm: TetMesh, worm_modes: Modes) -> None:
    material = fill(worm, 0.45)
    stiffness = build_stiffness(worm, material)
    D = compute_derivative(worm, material, stiffness, worm_modes.shapes[7])
    masses = compute_masses(worm, material)
    motion = np.einsum("kni,ni,n->k", worm_modes.shapes[:6], D, masses)
    assert np.abs(motion).max() < 1e-9 * np.sqrt(np.sum(masses[:, None] * D**2))


def test_modes_are_kept_and_broken_files_built_anew(
    tmp_path: Path, small: TetMesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    material = fill(small)
    built = []

    def counted(*args):
        built.append(1)
        return compute_modes(*args)

    monkeypatch.setattr(mode_cache, "compute_modes", counted)
    first = load_modes(small, material, 5, tmp_path)
    again = load_modes(small, material, 5, tmp_path)
    assert len(built) == 1
    assert np.array_equal(first.shapes, again.shapes)
    assert np.array_equal(first.omega_squared, again.omega_squared)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, omega_squared=np.zeros(3), shapes=np.zeros(3))
    broken = (b"", b"nonsense", whole[: len(whole) // 2], foreign.read_bytes())
    for number, content in enumerate(broken, 2):
        file.write_bytes(content)
        rebuilt = load_modes(small, material, 5, tmp_path)
        assert len(built) == number
        assert np.array_equal(first.shapes, rebuilt.shapes)
        assert file.read_bytes() == whole or np.load(file)["shapes"].shape == first.shapes.shape
    assert not list(tmp_path.glob("*.part"))


def test_another_mesh_or_material_has_other_files(tmp_path: Path, small: TetMesh) -> None:
    material = fill(small)
    load_modes(small, material, 5, tmp_path)
    load_modes(small, material, 6, tmp_path)
    heavier = Material(material.mu, material.lam, 2 * material.density)
    assert load_modes(small, heavier, 5, tmp_path).omega_squared[6] == pytest.approx(
        load_modes(small, material, 5, tmp_path).omega_squared[6] / 2
    )
    moved = TetMesh(2 * small.nodes, small.tets, small.region, small.region_names, small.fibre)
    load_modes(moved, material, 5, tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_a_cache_that_cannot_be_written_changes_nothing(tmp_path: Path, small: TetMesh) -> None:
    (tmp_path / "file").write_text("in the way")
    modes = load_modes(small, fill(small), 3, tmp_path / "file")
    shape = modes.shapes[6]
    kept = load_derivative(small, fill(small), shape, tmp_path / "kept")
    assert np.array_equal(load_derivative(small, fill(small), shape, tmp_path / "kept"), kept)
    assert len(list((tmp_path / "kept").iterdir())) == 1
