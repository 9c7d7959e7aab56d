"""Sentences that several operations say."""

from __future__ import annotations

from typing import Final

# The default peak of a precision is that of the matrix unit, if there is one.
NO_MATRIX_PRODUCTS: Final = "no matrix products: on a device with both units its peak is that of --unit vector"
