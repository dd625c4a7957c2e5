"""Hypothesis profiles that set every field of ``settings``.

``dev`` tries a few new examples in every run, ``ci`` the same examples in every run, ``quick`` a
fifth as many as ``ci``, and ``thorough`` thousands: ``pytest --hypothesis-profile thorough``.
"""

from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.database import DirectoryBasedExampleDatabase

PINNED = {
    "verbosity": Verbosity.normal,
    # Without ``explain``: it names lines of the frameworks' code, and needs many builds.
    "phases": (Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink),
    "stateful_step_count": 50,
    "report_multiple_bugs": False,
    # Building a model takes milliseconds in one framework and a second in another.
    "suppress_health_check": (HealthCheck.too_slow,),
    "deadline": None,
    "print_blob": True,
    "backend": "hypothesis",
}

LOCAL = DirectoryBasedExampleDatabase(".hypothesis/examples")

PROFILES = {
    name: {**PINNED, "max_examples": number, "derandomize": not local, "database": local}
    for name, number, local in (
        ("dev", 25, LOCAL),
        ("ci", 25, None),
        ("quick", 5, None),
        ("thorough", 5000, LOCAL),
    )
}


def register() -> None:
    for name, fields in PROFILES.items():
        settings.register_profile(name, settings.get_profile("default"), **fields)


def one_in(number: int) -> settings:
    return settings(max_examples=max(1, settings().max_examples // number))
