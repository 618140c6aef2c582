#!/usr/bin/env bash
# One night: what is new or changed in INPUT, scrubbed into OUTPUT.
#
#   INPUT=s3://warehouse/notes/ OUTPUT=s3://research/notes/ STATE=/var/lib/scrubline nightly.sh
#
# Ends with Scrubline's own exit code. The same again goes on where it stopped: try again after 1
# (failed), 5 (another process is at work) and a kill; 2, 3 and 4 ask for a person. CONFIG is
# nightly.toml unless said otherwise; STATE is a folder for the report and, for node_exporter's
# textfile collector, the gauges.
set -uo pipefail
config=${CONFIG:-$(dirname "$0")/nightly.toml}
state=${STATE:?a folder for the report and the gauges}

# In the place of this shell, so that it gets the signals that schedulers send.
exec scrubline scrub --config "$config" --incremental --finish-pending \
    --input "${INPUT:?}" --output "${OUTPUT:?}" \
    --report "$state/report.json" --metrics-file "$state/scrubline.prom" --log-format json
