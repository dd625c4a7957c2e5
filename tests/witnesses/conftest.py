"""Skip a test whose library is absent, unless it is required."""

from importlib.metadata import PackageNotFoundError, version

import pytest

LIBRARIES = {
    **dict.fromkeys(("test_caches", "test_mlx_lm", "test_own_entries"), "mlx-lm"),
    "test_keras_hub": "keras-hub",
}


@pytest.fixture(autouse=True)
def library(request):
    name = LIBRARIES.get(request.module.__name__.rpartition(".")[2])
    try:
        version(name or "paramproof")
    except PackageNotFoundError as error:
        if request.config.getoption("--require"):
            pytest.fail(f"required and unavailable: {error}", pytrace=False)
        pytest.skip(str(error))
