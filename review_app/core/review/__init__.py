"""When a text is approved, contested or stale, and what differs between two texts."""
