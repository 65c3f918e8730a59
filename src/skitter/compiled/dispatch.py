"""Kernels as Python sees them: a dispatcher that compiles a root for each set of argument types.

Called from another kernel, a kernel is its inner twin, which has no wrappers for Python and is
never emitted by itself.
"""

# What is used of Numba here is not in its type stubs.
# mypy: disable-error-code="attr-defined,name-defined,arg-type"

import gc
import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import _dynfunc
from numba.core import compiler, config, errors, sigutils, target_extension
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher, _FunctionCompiler
from numba.core.environment import Environment
from numba.core.typing import signature

from skitter.compiled import store
from skitter.compiled.library import InnerLibrary, RootLibrary
from skitter.compiled.target import TARGET_NAME, Kernels, kernel_target

INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
ROOT = {"no_cfunc_wrapper": True}


class KernelPipeline(compiler.Compiler):
    """Numba's passes, from bytecode to a library."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Numba's, with a name that is the same in every process."""
        identity = compiler.bytecode.FunctionIdentity.from_function(function)
        if is_lasting(function):
            identity.unique_id = 0
        self.state.func_id = identity
        compiler.ExtractByteCode().run_pass(self.state)
        self.state.lifted = ()
        self.state.lifted_from = None
        return self._compile_bytecode()


class KernelCompiler(_FunctionCompiler):
    """Compiles into a library of our own."""

    library_class = InnerLibrary

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        context = self.targetdescr.target_context
        library = self.library_class(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        return compiler.compile_extra(
            self.targetdescr.typing_context,
            context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=library,
            pipeline_class=self.pipeline_class,
        )


class RootCompiler(KernelCompiler):
    """Compiles into a library that becomes machine code."""

    library_class = RootLibrary


class InnerKernel(Dispatcher):
    """What other kernels call."""

    targetdescr = kernel_target
    compiler_class: type[KernelCompiler] = KernelCompiler

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, {}, options, KernelPipeline)
        self._compiler = self.compiler_class(
            function, self.targetdescr, options, {}, KernelPipeline
        )


class Kernel(InnerKernel):
    """What Python calls."""

    compiler_class = RootCompiler

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, options | ROOT)
        self.inner = InnerKernel(function, options | INNER)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.inner.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.inner.get_overload(sig)

    def compile(self, sig: Any) -> Any:
        """The entry point for argument types: one that was kept, or compiled and kept now."""
        with global_compiler_lock, self._compiling_counter:
            arguments, _ = sigutils.normalize_signature(sig)
            existing = self.overloads.get(tuple(arguments))
            if existing is not None:
                return existing.entry_point
            began, result = 0.0, self.load(arguments)
            if result is None:
                began = time.thread_time()
                result = self.compile_anew(arguments)
            seconds = time.thread_time() - began if began else 0.0
            name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
            store.roots.append(store.Root(name, tuple(arguments), seconds))
            self.add_overload(result)
            return result.entry_point

    def load(self, arguments: Any) -> Any:
        """A compiled kernel that was kept, or None."""
        kept = store.read(self.py_func, arguments) if is_lasting(self.py_func) else None
        if kept is None:
            return None
        context = self.targetctx
        context.refresh()
        library = RootLibrary(context.codegen(), self.py_func.__qualname__)
        environments = {
            name: make_environment(name, module) for name, module in kept.environments.items()
        }
        library.load(kept.code, kept.wrapper, environments)
        own = environments[kept.own]
        address = library.get_pointer_to_function(kept.wrapper)
        entry = _dynfunc.make_function(
            inspect.getmodule(self.py_func),
            self.__name__,
            self.__doc__ or "",
            address,
            own,
            (library,),
        )
        library.set_env(kept.own, own)
        return compiler.compile_result(
            entry_point=entry,
            signature=signature(None, *arguments),
            objectmode=False,
            library=library,
            target_context=context,
        )

    def compile_anew(self, arguments: Any) -> Any:
        with unhindered(), target_extension.target_override(TARGET_NAME):
            result = self._compiler.compile(tuple(arguments), None)
        if is_lasting(self.py_func):
            store.write(self.py_func, arguments, result)
        return result


class PlainScheme(errors._DummyColorScheme):
    """Messages without colours."""

    def highlight(self, msg: str) -> str:
        return msg

    code = errmsg = filename = indicate = reset = highlight


@contextmanager
def unhindered() -> Iterator[None]:
    """Compile without what takes a fifth of the time: collecting garbage, while millions of objects
    are made that stay, and colouring messages of attempts that Numba throws away."""
    collects, scheme = gc.isenabled(), errors._termcolor_inst
    gc.disable()
    errors._termcolor_inst = PlainScheme()
    try:
        yield
    finally:
        errors._termcolor_inst = scheme
        if collects:
            gc.enable()


def is_lasting(function: Callable[..., Any]) -> bool:
    """Whether a function stands in a module of the package, so that its name is its own."""
    return function.__module__.startswith("skitter.") and "<" not in function.__qualname__


def make_environment(name: str, module: str) -> Environment:
    """What a function knows of its module; none of our kernels keeps constants there."""
    import importlib

    found = Environment._memo.get(name)
    if found is None:
        found = Environment(importlib.import_module(module).__dict__)
        found.env_name = name
        Environment._memo[name] = found
    return found


def compile_kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a function: Numba's `njit`, for our target."""
    if function is None:
        return lambda found: compile_kernel(found, **options)
    if config.DISABLE_JIT:
        return function
    return Kernel(function, {"nopython": True, "boundscheck": None, **options})


target_extension.dispatcher_registry[Kernels] = Kernel


def compile_overload(*arguments: Any, **options: Any) -> Any:
    """How Numba compiles what it writes in Python, when a kernel calls that."""
    options.pop("nopython", None)
    options.pop("cache", None)
    return compile_kernel(*arguments, **options)


target_extension.jit_registry[Kernels] = compile_overload
