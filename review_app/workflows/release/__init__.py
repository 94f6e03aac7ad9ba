"""What leaves the app, in the layout of the benchmark itself."""
