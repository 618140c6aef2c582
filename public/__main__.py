"""`python -m scrubline`: the command, where its script is not on the path."""

from .pipeline.cli.main import command

if __name__ == "__main__":
    command()
