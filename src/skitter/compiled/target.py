"""For which processor kernels are compiled, and Numba's contexts that do it.

Kernels have a target of their own beside Numba's: functions that users compile with `numba.njit`
are not touched by what is chosen here.
"""

# What is used of Numba here is not in its type stubs.
# mypy: disable-error-code="attr-defined,name-defined,arg-type"

import os
from functools import cache
from typing import Any, NamedTuple

from llvmlite import binding
from numba.core import config, cpu, externals, registry, target_extension, targetconfig, types
from numba.core.codegen import JITCPUCodegen
from numba.core.registry import CPUTarget
from numba.core.runtime import rtsys
from numba.core.typing import Context

from skitter.compiled.library import InnerLibrary
from skitter.errors import UserError

TARGET_NAME = "skitter"
VARIABLE = "SKITTER_TARGET"  # of the environment: one of the levels below, or NATIVE
NATIVE = "native"


class Processor(NamedTuple):
    """What LLVM is told of the processor. `needs` are the features it must have."""

    name: str
    features: str
    needs: tuple[str, ...]


# The levels of the x86-64 psABI. Kernels for them run on, and round the same on, every processor
# that has the features. LLVM keeps to half of the width of level 4 if it is not told otherwise.
V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
LEVELS = (
    Processor(
        "x86-64-v4",
        "-prefer-256-bit",
        (*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    ),
    Processor("x86-64-v3", "", V3),
)


@cache
def find_processor() -> Processor:
    """The highest level that this processor has, or the one asked for; where there is none, the
    processor as it is."""
    features = binding.get_host_cpu_features()
    here = {
        level.name: level for level in LEVELS if all(features.get(name) for name in level.needs)
    }
    here[NATIVE] = Processor(binding.get_host_cpu_name(), features.flatten(), ())
    asked = os.environ.get(VARIABLE) or next(iter(here))
    if asked not in here:
        valid = ", ".join(here)
        raise UserError(f"{VARIABLE}={asked}: no target of this processor; valid: {valid}")
    return here[asked]


class KernelCodegen(JITCPUCodegen):
    """Turns LLVM's language into machine code, for the processor chosen above."""

    _library_class = InnerLibrary

    def _get_host_cpu_name(self) -> str:
        return find_processor().name

    def _get_host_cpu_features(self) -> str:
        return find_processor().features


class KernelContext(cpu.CPUContext):
    """Lowers functions to LLVM's language."""

    def init(self) -> None:
        self.is32bit = False
        self._internal_codegen = KernelCodegen("skitter.kernels")
        self._subroutines: dict[bool, dict[Any, Any]] = {False: {}, True: {}}
        externals.c_math_functions.install(self)

    def load_additional_registries(self) -> None:
        # Numba's runtime is one for all targets and has to be in reach of functions of users.
        rtsys.initialize(registry.cpu_target.target_context)
        super().load_additional_registries()

    def compile_subroutine(self, *arguments: Any, **options: Any) -> Any:
        """Numba's, which forgets that a subroutine of a function that counts references is another
        one, so that its code would depend on who was first to ask for it."""
        flags = targetconfig.ConfigStack()
        counts = bool(flags) and bool(flags.top().nrt)
        self.cached_internal_func = self._subroutines[counts]
        return super().compile_subroutine(*arguments, **options)


PLAIN = (types.Number, types.Boolean, types.Array, types.SliceType)


class KernelTyping(Context):
    """Numba's typing, which remembers how it typed sums, products and elements of arrays: it tries
    dozens of definitions for each, and there are tens of thousands."""

    def __init__(self) -> None:
        super().__init__()
        self._typed: dict[Any, Any] = {}

    def _resolve_user_function_type(
        self, func: Any, args: Any, kws: Any, literals: Any = None
    ) -> Any:
        key = None
        if not kws and all(isinstance(each, PLAIN) for each in args):
            key = (func, tuple(args))
            if key in self._typed:
                return self._typed[key]
        found = super()._resolve_user_function_type(func, args, kws, literals)
        if key is not None and type(self._lookup_global(func) or func) is types.Function:
            self._typed[key] = found
        return found


class KernelTarget(CPUTarget):
    """Both contexts of kernels, for typing and for lowering."""

    def __init__(self) -> None:
        super().__init__(TARGET_NAME)

    @registry.cached_property
    def _toplevel_typing_context(self) -> KernelTyping:
        return KernelTyping()

    @registry.cached_property
    def _toplevel_target_context(self) -> KernelContext:
        return KernelContext(self.typing_context, self._target_name)


class Kernels(target_extension.CPU):
    """Marks functions as kernels; what Numba has for processors holds for them."""


target_extension.target_registry[TARGET_NAME] = Kernels
kernel_target = KernelTarget()


def describe_target() -> str:
    """All that decides on machine code beside the sources of a kernel."""
    processor = find_processor()
    triple = binding.get_process_triple()
    return f"{triple} {processor.name} {processor.features} svml={config.USING_SVML}"
