"""Animations leave a glTF document, and their numbers too where those lie at the end of it.

Accessors and views are known by their places in lists, which extensions may name as well. So only
the last ones of a list go, up to the first that something else could name.
"""

from collections.abc import Iterable
from typing import Any

from skitter.gltf.layout import Document
from skitter.gltf.read import is_whole, list_extensions, walk


def drop_animations(document: Document, blob: bytes) -> bytes:
    """Takes all animations out; returns the bytes that are still needed."""
    animations = document.pop("animations", [])
    dropped = list_whole(animations)
    accessors = document.get("accessors", [])
    skins = [skin.get("inverseBindMatrices") for skin in document.get("skins", [])]
    kept = list_whole([document.get("meshes"), skins, find_extensions(document)])
    gone = cut_end(accessors, dropped - kept)
    views = document.get("bufferViews", [])
    named = [[one.get("bufferView"), one.get("sparse")] for one in accessors]
    kept = list_whole([named, document.get("images"), find_extensions(document)])
    if not cut_end(views, list_whole(gone) - kept):
        return blob
    return blob[: max((find_end(view) for view in views), default=0)]


def list_whole(tree: Any) -> set[int]:
    """All whole numbers in a tree: more than the places it names, never fewer."""
    return {value for value in walk(tree) if is_whole(value)}


def find_extensions(document: Document) -> list[Any]:
    objects = (value for value in walk(document) if isinstance(value, dict))
    return [value["extensions"] for value in objects if "extensions" in value]


def cut_end(items: list[Document], unused: Iterable[int]) -> list[Document]:
    """Takes the last items off as long as they are unused; returns those."""
    unused, size = set(unused), len(items)
    while size and size - 1 in unused:
        size -= 1
    gone = items[size:]
    del items[size:]
    return gone


def find_end(view: Document) -> int:
    """Where the bytes of a view end in the only buffer; compressed ones have another place."""
    places = [view, *list_extensions(view)]
    real = [one for one in places if one.get("buffer") == 0 and "byteLength" in one]
    return max((int(one["byteOffset"]) + int(one["byteLength"]) for one in real), default=0)
