#!/usr/bin/env bash
# Free disk space for Colab's image on a GitHub-hosted runner by removing tools for other languages.
set -euo pipefail
if [ "${GITHUB_ACTIONS:-}" != true ] || [ "${RUNNER_ENVIRONMENT:-}" != github-hosted ]; then
    echo "Not on a GitHub-hosted runner; nothing is removed."
    exit 0
fi
sudo rm -rf /usr/share/dotnet /usr/local/lib/android /opt/ghc /usr/local/.ghcup /opt/hostedtoolcache/CodeQL
df -h /
