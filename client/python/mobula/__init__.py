"""Client of Mobula: mirrors the world of a server.

import mobula

with mobula.connect(admin="http://127.0.0.1:7780", name="anna") as client:
    for entity in client.entities("Avatar"):
        print(entity, entity["Transform"].position)

`mobula.aio` has the same for asyncio.
"""

from ._session import Statistics, Status
from .client import Client, connect
from .entity import Entity, EntityInfo, Pose, Position
from .enums import ChangeKind, Code, FieldFlags, FieldKind, Presence, Reason, State
from .errors import Error
from .mirror import Change, Clock, Column, Component, Event
from .schema import ComponentType, Field, Rotation
from .tokens import read_token, request_token

__version__ = "0.2.0"
__all__ = [
    "Change", "ChangeKind", "Client", "Clock", "Code", "Column", "Component", "ComponentType", "Entity", "EntityInfo",
    "Error", "Event", "Field", "FieldFlags", "FieldKind", "Pose", "Position", "Presence", "Reason", "Rotation", "State",
    "Statistics", "Status", "connect", "read_token", "request_token",
]
