#!/bin/sh
# Install SLURM where it is missing and this is a Debian to install in.
set -eu
! command -v sbatch >/dev/null || exit 0
packages="slurmctld slurmd slurm-client"
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "missing: sbatch; on Debian, as root: apt-get install $packages" >&2
    exit 1
fi
apt-get update --quiet --quiet
# Without a service manager no daemon starts by itself, and with one none should.
# shellcheck disable=SC2086 # names of packages
RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends $packages
