"""CRFs: the label codec, learning, decoding, and CRFsuite's model file as a validated value."""
