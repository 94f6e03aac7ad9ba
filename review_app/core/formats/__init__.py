"""tau2 files to reviewable units and back, byte for byte."""
