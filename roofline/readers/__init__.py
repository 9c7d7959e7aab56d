"""Foreign files to kernels: one module a format."""
