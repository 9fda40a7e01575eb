"""Position <-> number. A material becomes a `Layout`, which is data; one set of kernels serves them all."""

from tbgen.index.layout import Layout, layout_of

__all__ = ["Layout", "layout_of"]
