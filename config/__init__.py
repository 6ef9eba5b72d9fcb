"""Settings and shipped defaults. Imports nothing else of the project."""
