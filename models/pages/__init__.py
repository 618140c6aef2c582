"""Pages that a person looks at: one design for all of them, and plots, without a library."""
