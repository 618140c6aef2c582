"""What is run: configuration, plan, Beam graph, supervisor, catalogue, command line."""
