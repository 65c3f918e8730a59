"""What a wheel is made of beside the package: compiled kernels, where they are asked for.

Without SKITTER_WHEEL_KERNELS the wheel is plain and fits every system. With it, the folder that it
names goes into the wheel, which then fits one version of Python on one system only.
"""

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts compiled kernels into `skitter/kernels`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = os.environ.get("SKITTER_WHEEL_KERNELS")
        if not folder or version == "editable":
            return
        if not any(Path(folder).glob("*.kernel")):
            raise FileNotFoundError(f"SKITTER_WHEEL_KERNELS={folder}: no kernels are there")
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-{python}-{system}"
        build_data["force_include"][str(Path(folder).resolve())] = "skitter/kernels"
