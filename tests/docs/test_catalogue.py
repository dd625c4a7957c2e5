"""The script of docs/catalogue.md, run as printed, has the stated output."""

import os
import re
import subprocess
import sys

from docs.writers.blocks import ROOT, script_in

TEXT = (ROOT / "docs" / "catalogue.md").read_text("utf-8")


def test_as_printed(tmp_path):
    (tmp_path / "show.py").write_text(script_in(TEXT, "show.py"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "show.py"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
            "PYTHONIOENCODING": "utf-8",
        },
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    (shown,) = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
    assert done.stdout == shown
