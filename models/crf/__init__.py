"""CRFs: the label codec, learning with python-crfsuite, and its model file as a checked value."""
