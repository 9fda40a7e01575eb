"""Generator of r-mobility chess endgame tablebases."""

from typing import TYPE_CHECKING, Any

from tbgen._version import __version__

if TYPE_CHECKING:
    from tbgen.probe import Tablebase as Tablebase
    from tbgen.probe import open_tablebase as open_tablebase

__all__ = ["Tablebase", "__version__", "open_tablebase"]


def __getattr__(name: str) -> Any:
    """The public names, imported when first used: most modules of the package need none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tbgen import probe

    return getattr(probe, name)
