"""What is known beforehand of patients and staff: sealed, looked up by key, matched, guarded."""
