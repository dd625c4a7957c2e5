"""Adapters have the parameters that peft builds, for targets drawn from the modules of a model.

A name that matches nothing is an error here, and peft ignores it beside others that match.
"""

import copy
import re
import warnings
from random import Random

import pytest

pytestmark = [pytest.mark.framework("transformers"), pytest.mark.shared("peft builds each adapter")]

