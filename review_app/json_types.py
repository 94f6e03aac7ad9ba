"""JSON as plain Python values, named once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
"""An object that is read and never changed."""

JsonObject = dict[str, Any]
"""An object that may be changed, or is being built."""

JsonPath = tuple[str | int, ...]
"""Where a value stands: keys and indexes from the top."""

Number = int | float
"""A number as JSON has it."""
