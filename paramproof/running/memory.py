"""How much memory a process has taken at most."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak_memory() -> int:
    """Return the peak resident memory of this process in bytes.

    Linux also keeps it in /proc; there ``ru_maxrss`` begins at the parent's size.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
