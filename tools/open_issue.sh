#!/usr/bin/env bash
# Open an issue about a failed weekly run, or comment on the one that is open; called by `make issue TITLE=... LOG=...`.
# Needs GitHub's gh, which the runners of GitHub Actions have, and GH_TOKEN.
set -euo pipefail
title=$1 log=$2
body=$(mktemp)
{
    echo "Run: ${GITHUB_SERVER_URL:-}/${GITHUB_REPOSITORY:-}/actions/runs/${GITHUB_RUN_ID:-}"
    echo
    echo '```'
    tail -c 50000 "$log" 2>/dev/null || echo "no log"
    echo '```'
} > "$body"
number=$(gh issue list --state open --search "in:title \"$title\"" --json number --jq '.[0].number // empty')
if [ -n "$number" ]; then
    gh issue comment "$number" --body-file "$body"
else
    gh issue create --title "$title" --body-file "$body"
fi
