"""Roofline calculator: how fast a kernel can run on a machine, and what holds it back."""

__version__ = "0.1.0"
