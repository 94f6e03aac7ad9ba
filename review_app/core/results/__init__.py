"""The benchmark's results files: read, streamed, written."""
