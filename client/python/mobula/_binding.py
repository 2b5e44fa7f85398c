"""Structs and functions of mobula_client.h for ctypes. A test compares them with the header."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_float, c_int32, c_int64, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

from .enums import HASH_BYTES

CText = c_char_p  # const char*
Buffer = c_void_p  # char* or void* that the library writes to
Result = c_int32
Entity = c_uint64


class ClientHandle(ctypes.Structure):
    _fields_ = [("index", c_uint32), ("generation", c_uint32)]


class ClientOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("name", CText),
        ("token", c_void_p),
        ("token_size", c_uint64),
        ("schema", c_void_p),
        ("schema_size", c_uint64),
    ]


class Status(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("state", c_uint32),
        ("can_rejoin", c_uint32),
        ("can_reconnect", c_uint32),
        ("ticks_per_second", c_uint32),
        ("tick", c_uint32),
        ("complete", c_uint32),
        ("mirror", c_uint32),
        ("entities", c_uint32),
        ("closing_seconds", c_uint32),
        ("player", Entity),
        ("mirror_hash", c_uint64),
        ("server", c_uint32),
        ("rejoin_tokens", c_uint32),
    ]


class Statistics(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("loss_permille", c_uint32),
        ("rtt", c_int64),
        ("rtt_variation", c_int64),
        ("jitter", c_int64),
        ("bytes_received", c_uint64),
        ("bytes_sent", c_uint64),
        ("datagrams_received", c_uint64),
        ("datagrams_sent", c_uint64),
        ("deltas", c_uint64),
        ("late_deltas", c_uint64),
        ("lost_deltas", c_uint64),
        ("verified_ticks", c_uint64),
        ("mismatched_ticks", c_uint64),
        ("corrections", c_uint64),
        ("events", c_uint64),
        ("refused_commands", c_uint64),
        ("rejoins", c_uint64),
        ("zone_changes", c_uint64),
    ]


class Change(ctypes.Structure):
    _fields_ = [("entity", Entity), ("kind", c_uint32), ("component", c_uint32)]


class EntityInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("stale", c_uint32),
        ("owned", c_uint32),
        ("tick", c_uint32),
        ("prototype", c_uint32),
    ]


class ComponentInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("type", c_uint32),
        ("instance", CText),
        ("size", c_uint32),
        ("entities", c_uint32),
    ]


class ValueUnion(ctypes.Union):
    _fields_ = [
        ("integer", c_int64),
        ("unsigned_integer", c_uint64),
        ("real", c_double),
        ("rotation", c_float * 4),
        ("entity", Entity),
        ("name", c_uint32),
        ("text", c_void_p),  # not terminated, so it must not be read as a C string
    ]


class Value(ctypes.Structure):
    _fields_ = [("kind", c_uint32), ("size", c_uint32), ("as_", ValueUnion)]  # `as` is a keyword of Python


class Clock(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("known", c_uint32),
        ("server_tick", c_double),
        ("target_tick", c_double),
        ("view_tick", c_double),
    ]


class Pose(ctypes.Structure):
    _fields_ = [("position", c_float * 3), ("rotation", c_float * 4)]


class TypeInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("size", c_uint32),
        ("alignment", c_uint32),
        ("fields", c_uint32),
        ("name", CText),
        ("default_value", c_void_p),
    ]


class FieldInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_uint32),
        ("path", CText),
        ("offset", c_uint32),
        ("size", c_uint32),
        ("count", c_uint32),
        ("stride", c_uint32),
        ("flags", c_uint32),
        ("enum_values", c_uint32),
        ("low", c_double),
        ("high", c_double),
        ("step", c_double),
        ("tolerance", c_double),
        ("array_length", c_uint32),
        ("count_field", c_uint32),
    ]


class Event(ctypes.Structure):
    _fields_ = [
        ("about", Entity),
        ("tick", c_uint32),
        ("presence", c_uint32),
        ("bytes", c_void_p),
        ("size", c_uint32),
        ("reserved", c_uint32),
    ]


class Smoothing(ctypes.Structure):
    _fields_ = [
        ("component", CText),
        ("duration", c_int64),
        ("snap_distance", c_double),
    ]


class PredictionOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("rules", CText),
        ("reads", CText),
        ("input_delay_least", c_uint32),
        ("input_delay_most", c_uint32),
        ("predicted_max", c_uint32),
        ("smoothing_count", c_uint32),
        ("smoothing", POINTER(Smoothing)),
        ("switch_duration", c_int64),
        ("position_component", CText),
        ("position_field", CText),
    ]


class Step(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("tick", c_uint32),
        ("replayed", c_uint32),
        ("commands", c_uint32),
        ("entities", c_uint32),
        ("seconds", c_float),
    ]


class PredictionInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("started", c_uint32),
        ("tick", c_uint32),
        ("reconciled", c_uint32),
        ("predicted_tick", c_double),
        ("view_tick", c_double),
    ]


class PredictionCounters(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("predicted_ticks", c_uint32),
        ("ticks", c_uint64),
        ("ticks_replayed", c_uint64),
        ("rollbacks", c_uint64),
        ("late_mispredictions", c_uint64),
        ("remote_mispredictions", c_uint64),
        ("restarts", c_uint64),
        ("stalls", c_uint64),
        ("dropped_effects", c_uint64),
        ("corrections", c_uint64),
        ("last_correction", c_double),
        ("greatest_correction", c_double),
        ("sum_of_corrections", c_double),
        ("input_delay", c_double),
        ("level_mispredictions", c_uint64),
        ("unpredicted_entities", c_uint64),
        ("stalled_time", c_uint64),
    ]


class Effect(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("name", c_uint32),
        ("key", c_uint64),
        ("tick", c_uint32),
        ("size", c_uint32),
        ("payload", c_void_p),
    ]


class Spawn(ctypes.Structure):
    _fields_ = [
        ("local", Entity),
        ("real", Entity),
        ("kind", c_uint32),
        ("command", c_uint32),
        ("ordinal", c_uint32),
        ("reserved", c_uint32),
    ]


class Command(ctypes.Structure):
    _fields_ = [
        ("entity", Entity),
        ("bytes", c_void_p),
        ("size", c_uint32),
        ("number", c_uint32),
    ]


class Random(ctypes.Structure):
    _fields_ = [
        ("a", c_uint64),
        ("b", c_uint64),
        ("c", c_uint64),
        ("d", c_uint64),
    ]


STRUCTS: dict[str, type[ctypes.Structure]] = {
    "mobula_client": ClientHandle,
    "mobula_client_options": ClientOptions,
    "mobula_status": Status,
    "mobula_statistics": Statistics,
    "mobula_change": Change,
    "mobula_entity_info": EntityInfo,
    "mobula_component_info": ComponentInfo,
    "mobula_value": Value,
    "mobula_clock": Clock,
    "mobula_pose": Pose,
    "mobula_type_info": TypeInfo,
    "mobula_field_info": FieldInfo,
    "mobula_event": Event,
    "mobula_smoothing": Smoothing,
    "mobula_prediction_options": PredictionOptions,
    "mobula_step": Step,
    "mobula_prediction_info": PredictionInfo,
    "mobula_prediction_counters": PredictionCounters,
    "mobula_effect": Effect,
    "mobula_spawn": Spawn,
    "mobula_command": Command,
    "mobula_random": Random,
}

_U32 = POINTER(c_uint32)
_TEXT = [Buffer, c_uint32, _U32]  # char* text, uint32_t capacity, uint32_t* length
_OF_CLIENT: dict[str, list[Any]] = {
    "destroy": [],
    "leave": [],
    "status": [POINTER(Status)],
    "reason": [POINTER(c_int32), *_TEXT],
    "connect_udp": [CText],
    "poll": [c_uint32],
    "server_address": [c_uint32, *_TEXT],
    "receive": [c_void_p, c_uint32, c_int64],
    "update": [c_int64],
    "next_datagram": [Buffer, c_uint32, _U32],
    "next_wakeup": [c_int64, POINTER(c_int64)],
    "pipe_closed": [CText, c_int64],
    "rejoin": [c_int64],
    "reconnect": [c_void_p, c_uint64, c_int64],
    "statistics": [POINTER(Statistics)],
    "read_changes": [POINTER(Change), c_uint32, _U32],
    "read_entities": [POINTER(Entity), c_uint32, _U32],
    "entity": [Entity, POINTER(EntityInfo)],
    "components_of": [Entity, _U32, c_uint32, _U32],
    "find_component": [CText, CText, _U32],
    "component_count": [_U32],
    "component": [c_uint32, POINTER(ComponentInfo)],
    "read": [Entity, c_uint32, Buffer, c_uint32],
    "read_column": [c_uint32, POINTER(Entity), Buffer, c_uint32, c_uint32, _U32],
    "map_column": [c_uint32, c_uint32, POINTER(c_void_p), _U32],
    "read_value": [Entity, CText, POINTER(Value)],
    "read_json": [Entity, CText, *_TEXT],
    "clock": [c_int64, POINTER(Clock)],
    "sample": [Entity, c_uint32, c_double, Buffer, c_uint32],
    "sample_column": [c_uint32, c_double, POINTER(Entity), Buffer, c_uint32, c_uint32, _U32],
    "sample_pose": [Entity, c_double, POINTER(Pose)],
    "type_count": [_U32],
    "type": [c_uint32, POINTER(TypeInfo)],
    "field": [c_uint32, c_uint32, POINTER(FieldInfo)],
    "enum_value": [c_uint32, c_uint32, c_uint32, POINTER(CText), POINTER(c_int64)],
    "schema": [POINTER(c_void_p), POINTER(c_uint64)],
    "set_command": [c_void_p, c_uint32],
    "set_command_schema": [c_void_p, c_uint64],
    "set_command_json": [CText],
    "read_events": [POINTER(Event), c_uint32, _U32],
    "add_level": [c_void_p, c_uint64],
    "next_level": [c_uint8 * HASH_BYTES, POINTER(c_void_p), POINTER(c_uint64)],
}
_OF_PREDICTION: dict[str, list[Any]] = {
    "create": [POINTER(PredictionOptions)],
    "destroy": [],
    "begin_update": [c_int64],
    "next_step": [POINTER(Step)],
    "end_step": [],
    "abandon_update": [],
    "set_predicted": [Entity, c_uint32],
    "entity": [Entity, _U32],
    "status": [POINTER(PredictionInfo)],
    "statistics": [POINTER(PredictionCounters)],
    "misprediction": [*_TEXT],
    "sample": [Entity, c_uint32, Buffer, c_uint32],
    "sample_column": [c_uint32, POINTER(Entity), Buffer, c_uint32, c_uint32, _U32],
    "read": [Entity, c_uint32, Buffer, c_uint32],
    "read_effects": [POINTER(Effect), c_uint32, _U32],
    "read_spawns": [POINTER(Spawn), c_uint32, _U32],
}
_OF_STEP: dict[str, list[Any]] = {
    "read_commands": [POINTER(Command), c_uint32, _U32],
    "read_stepped": [_U32, c_uint32, POINTER(Entity), c_uint32, _U32],
    "read_visible": [_U32, c_uint32, POINTER(Entity), c_uint32, _U32],
    "read": [Entity, c_uint32, Buffer, c_uint32],
    "write": [Entity, c_uint32, c_void_p, c_uint32],
    "read_column": [c_uint32, POINTER(Entity), c_uint32, Buffer, c_uint32],
    "write_column": [c_uint32, POINTER(Entity), c_uint32, c_void_p, c_uint32],
    "find_static": [c_uint64, _U32, POINTER(c_void_p), POINTER(c_uint64)],
    "random": [c_uint64, POINTER(Random)],
    "random_of": [Entity, POINTER(Random)],
    "spawn": [c_uint32, _U32, c_uint32, POINTER(Entity)],
    "destroy": [Entity],
    "effect": [CText, c_uint64, c_void_p, c_uint32],
}

# Result and arguments of each function.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "mobula_strerror": (CText, [Result]),
    "mobula_error_text": (Result, _TEXT),
    "mobula_version": (c_uint32, []),
    "mobula_protocol_version": (c_uint32, []),
    "mobula_now": (c_int64, []),
    "mobula_client_create": (Result, [POINTER(ClientOptions), c_int64, POINTER(ClientHandle)]),
    "mobula_set_log_level": (Result, [c_int32]),
    "mobula_next_log": (Result, [POINTER(c_int32), *_TEXT]),
    "mobula_random_next": (c_uint64, [POINTER(Random)]),
    "mobula_random_below": (c_uint32, [POINTER(Random), c_uint32]),
    "mobula_random_uniform": (c_float, [POINTER(Random), c_float, c_float]),
    "mobula_name_hash": (c_uint32, [CText]),
    **{f"mobula_client_{name}": (Result, [ClientHandle, *arguments]) for name, arguments in _OF_CLIENT.items()},
    **{f"mobula_prediction_{name}": (Result, [ClientHandle, *arguments]) for name, arguments in _OF_PREDICTION.items()},
    **{f"mobula_step_{name}": (Result, [ClientHandle, *arguments]) for name, arguments in _OF_STEP.items()},
}
