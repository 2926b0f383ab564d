"""Shell commands that agents run: which files they will write, as far as their text tells."""
