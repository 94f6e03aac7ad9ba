"""Rows of the database as the layers above see them: frozen records, one module a family."""
