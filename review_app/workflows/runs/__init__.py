"""Solvability runs: planned, played, judged, scored, and searched for candidates."""
