#!/usr/bin/env bash
# One incremental run: scrubs the new and changed inputs of INPUT into OUTPUT.
#
#   INPUT=s3://warehouse/notes/ OUTPUT=s3://research/notes/ STATE=/var/lib/scrubline nightly.sh
#
# Exits with Scrubline's own code. The same command goes on where the last one stopped: retry after
# 1 (failed), 5 (another process holds the lock) and a kill. Call a person after 2, 3 and 4. CONFIG
# defaults to nightly.toml. STATE is a folder for the report and, for node_exporter's textfile
# collector, the gauges.
set -uo pipefail
config=${CONFIG:-$(dirname "$0")/nightly.toml}
state=${STATE:?a folder for the report and the gauges}

# exec, so that Scrubline gets the signals that schedulers send to this process.
exec scrubline scrub --config "$config" --incremental --finish-pending \
    --input "${INPUT:?}" --output "${OUTPUT:?}" \
    --report "$state/report.json" --metrics-file "$state/scrubline.prom" --log-format json
