#!/bin/sh
# Install Chromium and npm where they are missing and this is a Debian to install in.
set -eu
missing=""
command -v chromium >/dev/null || missing="chromium"
command -v npm >/dev/null || missing="$missing npm"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "missing: $missing; on Debian, as root: apt-get install $missing" >&2
    exit 1
fi
apt-get update --quiet --quiet
# shellcheck disable=SC2086 # names of packages
apt-get install --quiet --yes --no-install-recommends $missing fonts-dejavu-core
