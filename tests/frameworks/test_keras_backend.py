"""An unsupported backend is named at once, wherever the builder is imported."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.framework("keras-jax")

IMPORT = "import paramproof.builders.frameworks.keras"
SET_TOO_LATE = f"import keras, os; os.environ['KERAS_BACKEND'] = 'jax'; {IMPORT}"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (IMPORT, "keras runs on numpy: KERAS_BACKEND is to be one of jax, tensorflow, torch"),
        (SET_TOO_LATE, "keras already runs on numpy: set KERAS_BACKEND before it does"),
    ],
)
def test_another_backend_is_named(code, line):
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": path, "KERAS_BACKEND": "numpy"},
        capture_output=True,
        text=True,
    )
    assert done.stderr.splitlines()[-1].endswith(f"FrameworkUnavailable: {line}")
