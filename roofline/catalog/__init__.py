"""The hardware catalogue: find a device's file, read it, and say what is wrong with it."""
