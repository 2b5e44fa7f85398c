"""Components of a step as arrays of numpy, which is imported here and not before."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterable

import numpy

from . import _binding
from .entity import handle_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .entity import Entity
    from .mirror import Mirror

    Entities = NDArray[numpy.uint64] | Iterable[Entity | int]

HANDLES = ctypes.POINTER(ctypes.c_uint64)


def handles_of(entities: Entities) -> NDArray[numpy.uint64]:
    """Returns the handles of entities, side by side."""
    given = entities if isinstance(entities, numpy.ndarray) else [handle_of(each) for each in entities]
    return numpy.ascontiguousarray(given, numpy.uint64)


def find(mirror: Mirror, function: str, components: Any) -> NDArray[numpy.uint64]:
    """Returns the handles of the entities that have all of these components."""
    return numpy.array(mirror._array(function, _binding.Entity, components, len(components)), numpy.uint64)


def read(mirror: Mirror, component: str, entities: Entities) -> NDArray[Any]:
    """Returns the component of each entity."""
    found, handles = mirror.component(component), handles_of(entities)
    values = numpy.empty(len(handles), found.type.dtype)
    mirror._call("mobula_step_read_column", found.number, handles.ctypes.data_as(HANDLES), len(handles),
                 values.ctypes.data, 0)
    return values


def write(mirror: Mirror, component: str, entities: Entities, values: NDArray[Any]) -> None:
    """Replaces the component of each entity."""
    found, handles = mirror.component(component), handles_of(entities)
    given = numpy.ascontiguousarray(values, found.type.dtype)
    if len(given) != len(handles):
        raise ValueError(f"{len(given)} values for {len(handles)} entities")
    mirror._call("mobula_step_write_column", found.number, handles.ctypes.data_as(HANDLES), len(handles),
                 given.ctypes.data, 0)
