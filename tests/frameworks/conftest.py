"""What tests of PyTorch ask for, so that a module of theirs can be collected without it."""

import pytest


@pytest.fixture
def torch():
    import torch

    return torch
