"""The roofline model: pure values and arithmetic, no input or output, no third-party import."""
