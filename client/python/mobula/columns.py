"""Columns as arrays of numpy, which is imported only here and for dtypes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterator

import numpy

from . import _binding
from ._session import sized
from .enums import Code
from .errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .mirror import Column, Component, Mirror

ENTITIES = ctypes.POINTER(ctypes.c_uint64)


def count_of(mirror: Mirror, component: Component) -> int:
    """Returns the number of entities that have a component."""
    info = sized(_binding.ComponentInfo)
    mirror._call("component", component.number, ctypes.byref(info))
    return int(info.entities)


def copy(mirror: Mirror, component: Component, tick: float | None) -> Column:
    """Copies a column, of now or of a moment."""
    from .mirror import Column

    capacity = count_of(mirror, component)
    moment = [] if tick is None else [ctypes.c_double(tick)]
    entities = numpy.empty(capacity, numpy.uint64)
    values = numpy.empty(capacity, component.type.dtype)
    count = ctypes.c_uint32()
    mirror._call("read_column" if tick is None else "sample_column", component.number, *moment,
                 entities.ctypes.data_as(ENTITIES), values.ctypes.data, 0, capacity, ctypes.byref(count))
    return Column(entities[: count.value], values[: count.value])


def copy_shown(mirror: Mirror, component: Component) -> Column:
    """Copies a column as a prediction shows it. It has predicted spawns too, whose number is not known before."""
    from .mirror import Column

    count = ctypes.c_uint32(count_of(mirror, component))
    while True:
        capacity = count.value
        entities = numpy.empty(capacity, numpy.uint64)
        values = numpy.empty(capacity, component.type.dtype)
        try:
            mirror._call("mobula_prediction_sample_column", component.number, entities.ctypes.data_as(ENTITIES),
                         values.ctypes.data, 0, capacity, ctypes.byref(count))
        except Error as error:
            if error.code != Code.BUFFER_TOO_SMALL:
                raise
        else:
            return Column(entities[: count.value], values[: count.value])


def view(mirror: Mirror, component: Component) -> Iterator[Column]:
    """Yields the parts of a column where they lie."""
    from .mirror import Column

    capacity = count_of(mirror, component)
    entities = numpy.empty(capacity, numpy.uint64)
    count = ctypes.c_uint32()
    mirror._call("read_column", component.number, entities.ctypes.data_as(ENTITIES), None, 0, capacity,
                 ctypes.byref(count))
    first, start, update = 0, ctypes.c_void_p(), mirror._updates
    while mirror._call("map_column", component.number, first, ctypes.byref(start), ctypes.byref(count)) == Code.OK:
        values = over(start.value or 0, count.value, component.type.dtype)
        yield Column(entities[first : first + count.value], values)
        if mirror._updates != update:
            raise Error(Code.WRONG_STATE, "the column was mapped before the last update; map it anew")
        first += count.value


def over(start: int, count: int, dtype: numpy.dtype[Any]) -> NDArray[Any]:
    """Makes a read-only array over the library's memory."""
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(start)
    values: NDArray[Any] = numpy.ndarray(count, dtype, memoryview(memory))
    values.flags.writeable = False
    return values
