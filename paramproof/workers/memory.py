"""Measure the peak memory of this process."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_memory() -> int:
    """Return the peak resident memory of this process in bytes; 0 on Windows.

    On Linux the figure comes from /proc, since ``ru_maxrss`` starts at the parent's size there.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_bytes().splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
