"""What each command takes, and what its help teaches. Nothing heavy is imported here.

- `runs`: scrub, preview, plan, resume.
- `outputs`: diff, verify, inspect, status, prune.
- `training`: train, dial.
- `scoring`: evaluate, study.
- `corpora`: annotate, convert, synth.
- `resources`: key, policy, dictionaries, part.
- `shared`: options that commands of several of these take.
"""
