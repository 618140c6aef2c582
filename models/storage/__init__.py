"""Storage: the bytes of files on local disks and object stores; nothing of what they mean."""
