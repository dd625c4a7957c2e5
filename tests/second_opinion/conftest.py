"""Skip the tests here if MLX or mlx-lm is absent."""

from importlib.metadata import PackageNotFoundError

import pytest

from sweep.second_opinion.mlx_models import versions


@pytest.fixture(autouse=True)
def mlx(request):
    """Skip a test if MLX or mlx-lm is absent, unless they are required."""
    try:
        versions()
    except PackageNotFoundError as error:
        problem = f"{error.name} is not installed"
        if request.config.getoption("--require"):
            pytest.fail(f"required and unavailable: {problem}", pytrace=False)
        pytest.skip(problem)
