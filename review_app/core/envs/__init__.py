"""Tool environments of the benchmark's domains over plain JSON state."""
