"""The same source gives the same files at each build, so that readers load nothing anew."""

import os
import subprocess
import sys

from docs.writers.blocks import ROOT


def test_a_site_is_the_same_byte_for_byte(site, modules, tmp_path):
    other = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "HOME": str(tmp_path)}
    again = tmp_path / "again"
    command = [sys.executable, ROOT / "site/build.py", again, modules.resolve()]
    done = subprocess.run(
        command, env={**os.environ, **other}, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    files = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert files == {path.relative_to(again) for path in again.rglob("*") if path.is_file()}
    assert len(files) > 120
    assert [one for one in files if (site / one).read_bytes() != (again / one).read_bytes()] == []
