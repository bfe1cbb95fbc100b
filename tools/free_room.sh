#!/usr/bin/env bash
# Make room for Colab's image on a runner of GitHub Actions: what it brings for other languages goes. Nowhere else.
set -euo pipefail
if [ "${GITHUB_ACTIONS:-}" != true ] || [ "${RUNNER_ENVIRONMENT:-}" != github-hosted ]; then
    echo "Not on a runner of GitHub: nothing is removed."
    exit 0
fi
sudo rm -rf /usr/share/dotnet /usr/local/lib/android /opt/ghc /usr/local/.ghcup /opt/hostedtoolcache/CodeQL
df -h /
