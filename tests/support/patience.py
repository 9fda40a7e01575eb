"""How long tests wait, at the most, for what must happen: on a machine with much else to do it takes long."""

from typing import Final

PATIENCE: Final = 300.0
"""Seconds. Only a test that fails waits for so long."""
