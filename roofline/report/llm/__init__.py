"""Transformers to a Report: prefill and decode, sweeps, levers."""
