"""``python -m tests.mutation``: mutate formulas and derivation, and check the survivors.

Exit status 1 if a survivor is not listed in ``equivalent.toml``, if an entry of that
list is stale, or if the docs have a different score; ``--write`` updates the score there.
"""

import os
import shutil
import subprocess
import sys

from docs.writers import mutation_page
from docs.writers.blocks import block
from tests.mutation.survivors import ROOT, equivalent, score, survivors


def main() -> int:
    # An earlier run's results are for other code.
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)
    processes = str(os.cpu_count() or 1)
    # The profile `ci` tries the same examples in every run.
    subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", processes],
        env={**os.environ, "CI": "true"},
        cwd=ROOT,
        check=True,
    )
    listed, found = equivalent(), set(survivors())
    for change in sorted(found - set(listed), key=str):
        print(f"survived: {change}")
    for change in sorted(set(listed) - found, key=str):
        print(f"stale, did not survive: {change}")
    if found != set(listed):
        return 1
    print(score())
    if "--write" in sys.argv:
        mutation_page.write()
        mutation_page.write_score(score())
    elif block("score", mutation_page.PAGE.read_text("utf-8")).strip() != score().strip():
        print("docs/mutation.md has another score: run tox run -e mutation -- --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
