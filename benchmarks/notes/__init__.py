"""Notes with gold on which the English detector is measured, and which nothing is trained on."""
