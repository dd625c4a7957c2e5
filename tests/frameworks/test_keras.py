"""Keras 3, on any backend: models that are built without values."""

import inspect

import pytest

from paramproof.builders import load
from paramproof.formulas.models import named_model
from paramproof.verify.workers import peak_memory
from tests.sessions import run_python
from tests.specs import SPECS

pytestmark = pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")


def test_an_abstract_build_leaves_no_variable_to_allocate():
    """Keras lists variables without a value; the next scope to end allocates each of them."""
    import keras

    builder = load(f"keras-{keras.backend.backend()}")
    model = builder.build(named_model("bert-base").spec)
    before = peak_memory()
    with keras.StatelessScope():
        pass
    # The model's 109 million parameters would take 438 MB.
    assert peak_memory() - before < 50e6
    assert len(model.weights()) == 5 + 12 * 16 + 2


def test_no_backend_computes_in_an_abstract_build(monkeypatch):
    """Hence shapes are tested with one of the three (``SHAPES_ARE_THOSE_OF`` in selection.py)."""
    import keras
    from keras.src import backend

    def forbidden(*arguments, **options):
        raise AssertionError("a backend computes")

    for part in (backend.numpy, backend.nn, backend.math, backend.random, backend.linalg):
        for name, function in vars(part).items():
            if inspect.isfunction(function) and function.__module__ == part.__name__:
                monkeypatch.setattr(part, name, forbidden)
    with pytest.raises(AssertionError, match="a backend computes"):
        keras.ops.ones((1,))
    builder = load(f"keras-{keras.backend.backend()}")
    for spec in SPECS.values():
        assert builder.build(spec).weights()


def test_llama_is_refused_without_keras_rms_norm(monkeypatch):
    """As before Keras 3.9; the other families are supported."""
    import keras

    from paramproof.builders.frameworks.keras import supports

    assert supports(SPECS["llama"]) is True
    monkeypatch.delattr(keras.layers, "RMSNormalization")
    assert supports(SPECS["llama"]) == (
        f"Keras {keras.__version__} has no RMSNormalization, and 3.9 has one for LLaMA"
    )
    assert supports(SPECS["encoder"]) is True


IMPORT = "import paramproof.builders.frameworks.keras"
SET_TOO_LATE = f"import keras, os; os.environ['KERAS_BACKEND'] = 'jax'; {IMPORT}"


@pytest.mark.framework("keras-jax")
@pytest.mark.parametrize(
    ("code", "line"),
    [
        (IMPORT, "keras runs on numpy: KERAS_BACKEND is to be one of jax, tensorflow, torch"),
        (SET_TOO_LATE, "keras already runs on numpy: set KERAS_BACKEND before it does"),
    ],
)
def test_another_backend_is_named(code, line):
    done = run_python("-c", code, KERAS_BACKEND="numpy")
    assert done.stderr.splitlines()[-1].endswith(f"FrameworkUnavailable: {line}")
