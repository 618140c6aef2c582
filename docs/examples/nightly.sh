#!/usr/bin/env bash
# One night: what is new or changed in INPUT, scrubbed into OUTPUT.
#
#   INPUT=s3://warehouse/notes/ OUTPUT=s3://research/notes/ STATE=/var/lib/scrubline nightly.sh
#
# Ends with Scrubline's own exit code. Only 1 is tried again, once, from where it stopped: 2 and 3 ask
# for a person. CONFIG is nightly.toml unless said otherwise; STATE is a folder for the report and, for
# node_exporter's textfile collector, the gauges.
set -uo pipefail
config=${CONFIG:-$(dirname "$0")/nightly.toml}
state=${STATE:?a folder for the report and the gauges}
watch=(--report "$state/report.json" --metrics-file "$state/scrubline.prom" --log-format json)

scrubline scrub --config "$config" --incremental --input "${INPUT:?}" --output "${OUTPUT:?}" "${watch[@]}"
code=$?
if [ $code -eq 1 ]; then
    scrubline resume --output "$OUTPUT" "${watch[@]}"
    code=$?
fi
exit $code
