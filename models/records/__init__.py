"""What the notes of one patient say about each other: evidence, its join, and what it changes."""
