"""Frameworks from another distribution that fail: the toy, with one build that misbehaves.

It is the fourth build, or the one with the number in TOY_BUILD. The first build of ``verify`` is
the worker's own at its start, the second gives the first result.
"""

import fcntl
import os
import signal
import time

import toy_framework

FRAMEWORKS = {
    "toy-raises": {"distributions": ("numpy",), "environment": {"TOY_ENDS": "raises"}},
    "toy-killed": {"distributions": ("numpy",), "environment": {"TOY_ENDS": "killed"}},
    "toy-leaves": {"distributions": ("numpy",), "environment": {"TOY_ENDS": "leaves"}},
    "toy-sleeps": {"distributions": ("numpy",), "environment": {"TOY_ENDS": "sleeps"}},
    "toy-skips": {"distributions": ("numpy",), "environment": {"TOY_ENDS": "skips"}},
    "toy-repeats": {"distributions": ("numpy",), "environment": {"TOY_ENDS": "repeats"}},
}

HOW = os.environ.get("TOY_ENDS", "")
MINUTE = 60
builds = 0
supports = toy_framework.supports


def build(spec, numerics=None, **options):
    global builds
    builds += 1
    if builds == int(os.environ.get("TOY_BUILD", "4")) and HOW in ENDS:
        ENDS[HOW]()
    return toy_framework.build(spec, numerics, **options)


def raises():
    raise ArithmeticError("not this one")


def sleeps():
    """Sleep while holding a lock on a file, which is released only when this process ends."""
    with open(os.environ["TOY_LOCK"], "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(MINUTE)


ENDS = {
    "raises": raises,
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "leaves": lambda: os._exit(0),
    "sleeps": sleeps,
}

if HOW in ("skips", "repeats"):
    # A fault in our worker and not in a framework: it does less, or more, than its job.
    from paramproof.verify import results

    honest, times = results.random_specs, {"skips": 0, "repeats": 2}[HOW]

    def random_specs(*arguments, **fixed):
        first, *others = honest(*arguments, **fixed)
        return [first] * times + others

    results.random_specs = random_specs
