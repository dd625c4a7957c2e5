"""Build the site into a folder: ``python site/build.py FOLDER NODE_MODULES [DOCS]``.

``paramproof.pages`` makes the HTML, both here and in the browser. NODE_MODULES is the folder in
which npm has installed the packages of package.json. DOCS is the path from FOLDER to the
documentation, if both are on one site. The same source gives the same files at each build.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

from fill import TITLES, view

from paramproof.formulas.models import named_configurations, named_models
from paramproof.pages.document import model_page, page
from paramproof.resolver import resolve

HERE = Path(__file__).parent
PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)


def build(folder: Path, modules: Path, docs: str = "") -> None:
    """Write the site into ``folder``, replacing an earlier build."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "models").mkdir(parents=True)
    (folder / "pyodide").mkdir()
    for name in PYODIDE:
        shutil.copyfile(modules / "pyodide" / name, folder / "pyodide" / name)
    for name in ("app.js", "worker.js", "icon.svg"):
        shutil.copyfile(HERE / name, folder / name)
    for file in (HERE.parent / "paramproof/pages/static").iterdir():
        shutil.copyfile(file, folder / file.name)
    whole = shutil.copyfile(wheel(), folder / "paramproof.whl")
    shutil.copyfile(HERE.parent / "LICENSE", folder / "licence.txt")
    ZipFile(folder / "empty.zip", "w").close()
    made = (folder / "python.image", folder / "python.files")
    start_up = [HERE / "image.mjs", folder.resolve() / "pyodide", whole, *made]
    subprocess.run(["node", *start_up], check=True)
    for name in (*named_models(), *named_configurations()):
        file = folder / "models" / f"{name}.html"
        file.write_text(model_page(resolve(name), "../", docs), "utf-8")
    for name, title in TITLES.items():
        (folder / f"{name}.html").write_text(
            page(title, name, view(name, docs), docs=docs), "utf-8"
        )


def wheel() -> Path:
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", folder]
    subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.DEVNULL)
    (found,) = Path(folder).glob("*.whl")
    return found


if __name__ == "__main__":
    target, packages, *beside = sys.argv[1:]
    build(Path(target), Path(packages), *beside)
