"""Python sources of a benchmark, read and never run."""
