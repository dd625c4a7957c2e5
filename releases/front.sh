#!/bin/sh
# Set what the front of the repository says of a release: its version, its date, and where its pages are.
#     sh releases/front.sh 1.0.0 https://name.github.io/paramproof https://github.com/name/paramproof
# The first address is that of the site and its documentation, the second that of the source. They
# replace those of pyproject.toml on every page; a release that leaves them out keeps them.
set -eu
cd "$(dirname "$0")/.."
version=$1 today=$(date -u +%Y-%m-%d)
address() { sed -n "s|^$1 = \"\(.*[^/]\)/*\"\$|\1|p" pyproject.toml; }
move() { git grep --files-with-matches --fixed-strings "$1" -- . ':!tests' | xargs sed -i "s|$1|$2|g"; }
if [ $# -gt 1 ]; then
    source=$(address Source) documentation=$(address Documentation)
    move "$source" "${3%/}"
    move "$documentation" "${2%/}"
fi
sed -i "s/^## $version (unreleased)\$/## $version ($today)/" CHANGELOG.md
sed -i "/^date-released:/d; s/^version: .*/version: $version\ndate-released: $today/" CITATION.cff
