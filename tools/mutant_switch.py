"""Says which mutant is active; `tools/mutants.py` puts it into the copy of the package it plants.

Kernels read the number through a symbol of the process, so that the machine code which Numba keeps
on disk is the same for all mutants.
"""

import ctypes
import os

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

CHOSEN = ctypes.c_int32(int(os.environ.get("SKITTER_MUTANT", "0")))
llvmlite.binding.add_symbol("skitter_mutant", ctypes.addressof(CHOSEN))


def is_mutant(number):
    return CHOSEN.value == number


@intrinsic
def load_chosen(context):
    def generate(context, builder, signature, arguments):
        variable = builder.module.globals.get("skitter_mutant")
        if variable is None:
            variable = ir.GlobalVariable(builder.module, ir.IntType(32), "skitter_mutant")
        load = builder.load(variable)
        load.set_metadata("invariant.load", builder.module.add_metadata([]))
        return load

    return types.int32(), generate


@overload(is_mutant)
def compile_is_mutant(number):
    return lambda number: load_chosen() == number
