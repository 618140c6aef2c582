"""The identifier view: what a record says of a patient, and how it is made anonymous."""
