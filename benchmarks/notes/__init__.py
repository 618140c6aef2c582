"""Notes with gold: development and review to measure the English detector, practice to train."""
