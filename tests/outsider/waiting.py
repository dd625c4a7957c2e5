"""A framework from another distribution whose builds wait until the folder has the file ``go``.

It leaves its process id in the folder, so that a test can end the process.
"""

import os
import time
from pathlib import Path

import toy_framework

FRAMEWORKS = {
    "toy-waits": {"distributions": ("numpy",), "fixed": {"mlm_head": False, "nsp_head": False}}
}

LONGEST = 120
supports = toy_framework.supports


def build(spec, numerics=None, **options):
    folder = Path(os.environ["TOY_FOLDER"])
    (folder / f"begun-{os.getpid()}").touch()
    end = time.monotonic() + LONGEST
    while not (folder / "go").exists() and time.monotonic() < end:
        time.sleep(0.05)
    return toy_framework.build(spec, numerics, **options)
