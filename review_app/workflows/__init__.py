"""Use cases, one transaction each: the same for the browser, the command line and a test."""
