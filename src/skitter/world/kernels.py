"""Which kernels a scene needs: its features are what the list of kernels goes by."""

from skitter.compiled.ahead import compile_for
from skitter.scene.load import Scene

OF_TRIANGLES = {"heightfield", "mesh"}  # shapes of terrain


def list_features(scene: Scene) -> set[str]:
    """What decides on the kernels of a scene: who lives there, on what, and how finely numbered."""
    spec = scene.spec
    features: set[str] = {species.kind for species in scene.species}
    if any(species.has_figure for species in scene.species):
        features.add(f"figures-{spec.precision}")
    if spec.water is not None:
        features |= {"water", f"water-{spec.precision}"}
    if any(item.shape in OF_TRIANGLES for item in spec.terrain):
        features.add("triangles")
    if len(scene.species) > 1 or spec.obstacles:
        features.add("meeting")
    return features


def compile_scene(scene: Scene) -> None:
    """Compile what a scene needs and is not kept yet, on all cores."""
    compile_for(list_features(scene))
