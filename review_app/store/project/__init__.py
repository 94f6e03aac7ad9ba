"""People, settings and background jobs."""
