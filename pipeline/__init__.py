"""What is run: configuration, plan, the Beam graph, the supervisor, the catalogue, the command line."""
