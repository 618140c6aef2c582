"""The command line: options, help, and the dispatch to commands."""
