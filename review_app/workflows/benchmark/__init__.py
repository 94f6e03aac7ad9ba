"""The benchmark at hand: files, environments, tasks in force, recorded answers."""
