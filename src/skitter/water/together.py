"""Threads that go on together: each writes how far it is, and waits until all others are there.

Between the passes of a sub-step lie some microseconds, too few for locks of the system.
"""

import os

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from skitter.compiled import kernel

CACHE_LINE = 8  # numbers of 8 bytes that one thread's counter takes, so that none shares a line
PATIENCE = 2000  # looks at another's counter before the core is offered to someone else


@intrinsic
def load_shared(typing, array, index):
    """An element that another thread may be writing: everything it wrote before is visible."""

    def generate(context, builder, signature, values):
        pointer = find_element(context, builder, signature, values)
        return builder.load_atomic(pointer, "acquire", 8)

    return types.int64(array, index), generate


@intrinsic
def store_shared(typing, array, index, value):
    """Set an element for other threads, after everything written before."""

    def generate(context, builder, signature, values):
        pointer = find_element(context, builder, signature, values)
        builder.store_atomic(values[2], pointer, "release", 8)
        return context.get_dummy_value()

    return types.void(array, index, types.int64), generate


def find_element(context, builder, signature, values):
    """Where an element of an int64 array lies."""
    array = context.make_array(signature.args[0])(context, builder, values[0])
    return builder.gep(array.data, [values[1]])


@intrinsic
def offer_core(typing):
    """Let another thread run, where the system has a call for it."""

    def generate(context, builder, signature, values):
        if os.name == "posix":
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(ir.IntType(32), []), "sched_yield"
            )
            builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


@kernel
def wait_for_all(done, thread, threads, round_number):
    """Return once every thread has called this for the same round. done [threads * CACHE_LINE]."""
    if threads == 1:
        return
    store_shared(done, thread * CACHE_LINE, round_number)
    for other in range(threads):
        looks = 0
        while load_shared(done, other * CACHE_LINE) < round_number:
            looks += 1
            if looks > PATIENCE:
                offer_core()
