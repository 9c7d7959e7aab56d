"""Transformers on the roofline: what a model consists of, and what a step of it computes, reads and holds."""
