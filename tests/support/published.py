"""The tables that tests publish."""

from typing import Final

WHOLE: Final = ("KBvK.r.h5", "KPvK.r.h5", "KvK.r.h5", "KvK.wg.h5")
SLIM: Final = "KBvK.r.slim.h5"
