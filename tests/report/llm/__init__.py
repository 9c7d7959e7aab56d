"""Tests of the reports on transformers."""
