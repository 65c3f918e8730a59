"""Code libraries: what is lowered to LLVM, and what is optimised and turned into machine code.

Numba optimises, emits and keeps every function by itself, and then again inside each function that
calls it. Here an inner function is only lowered. A root, which Python calls, links all that it
reaches, each function once and in a fixed order, makes it its own, and is optimised and emitted
once. So a kernel is compiled in surroundings that do not depend on what else the process has
compiled, and rounds the same way in every process.
"""

import ctypes
from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import CodeLibrary, JITCodeLibrary


class InnerLibrary(JITCodeLibrary):
    """A function that only compiled functions call: lowered, and linked into every root."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.environments: dict[str, Any] = {}

    @property
    def codegen(self) -> Any:
        """Numba asks it to set the environment of a function, which has no address yet."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        self.environments[name] = environment

    def add_linking_library(self, library: CodeLibrary) -> None:
        if not isinstance(library, InnerLibrary):
            library._ensure_finalized()
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Nothing: a root does it."""

    def get_pointer_to_function(self, name: str) -> int:
        """Numba's sign for a function that has no address."""
        return 0


class RootLibrary(InnerLibrary):
    """A function that Python calls, with all that it calls."""

    wrapper = ""  # name of the function that Python calls, the only one to be seen from outside

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._codegen._check_llvm_bugs()
        for library in list_reached(self):
            self._final_module.link_in(get_module(library), preserve=True)
            if isinstance(library, InnerLibrary):
                self.environments |= library.environments
        self.hide_all_but_wrapper()
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def hide_all_but_wrapper(self) -> None:
        """Keep functions to this root: no other may take them for its own, nor see them."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.name != self.wrapper:
                function.linkage = Linkage.internal

    def get_pointer_to_function(self, name: str) -> int:
        if not self._finalized:
            self.wrapper = name
            self.finalize()
        return super(InnerLibrary, self).get_pointer_to_function(name)

    def set_env(self, name: str, environment: Any) -> None:
        """The last that Numba does, when the code has its address: set all environments."""
        super().set_env(name, environment)
        engine = self._codegen._engine
        for each, value in self.environments.items():
            pointer = ctypes.c_void_p.from_address(engine.get_global_value_address(each))
            pointer.value = id(value)

    def load(self, code: bytes, wrapper: str, environments: dict[str, Any]) -> None:
        """Take machine code that was kept instead of compiling."""
        self.wrapper, self.environments = wrapper, environments
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        self._codegen._engine._defined_symbols |= {wrapper, *environments}


def list_reached(root: CodeLibrary) -> list[CodeLibrary]:
    """All libraries below a root, each once, in the order of first mention."""
    found: dict[CodeLibrary, None] = {}

    def visit(library: CodeLibrary) -> None:
        for other in library._linking_libraries:
            if other not in found:
                found[other] = None
                if isinstance(other, InnerLibrary):
                    visit(other)

    visit(root)
    return [*found]


def get_module(library: CodeLibrary) -> Any:
    if isinstance(library, InnerLibrary):
        return library._final_module
    return library._get_module_for_linking()
