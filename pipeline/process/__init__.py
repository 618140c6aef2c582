"""The process itself: its signals and end, its memory, its logs."""
