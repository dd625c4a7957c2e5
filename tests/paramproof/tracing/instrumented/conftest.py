"""A trace without a model, for the tests of single hooks."""

import pytest

from paramproof.tracing.instrumented.containers import forget_values
from paramproof.tracing.instrumented.lengths import forget_lengths
from paramproof.tracing.recorder import recording


@pytest.fixture
def recorder():
    forget_lengths()
    forget_values()
    with recording() as found:
        yield found
    forget_lengths()
    forget_values()
