"""Reading what was published, in a browser on the machine that holds the key.

`texts` are what is read; `access` and `leases` say who reads what; `desk` does what is asked
(`documents` shows, `decisions` adjudicates, `figures` counts), `sessions` admits, `app` is the face
for HTTP and `server` runs it. `training` and `rescrubbing` start children; `exporting` writes the
corrections.
"""
