"""The Project page and its parts."""
