"""Bundles: trained models as folders, and everything that opens and runs one."""
