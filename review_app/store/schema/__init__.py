"""The tables, as migrations."""
