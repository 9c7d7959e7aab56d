"""The subcommands: each parses its options, loads, computes, builds a Report and has it rendered."""
