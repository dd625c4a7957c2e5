"""The parity tests with frameworks kept to older instructions of the processor.

``python -m tests.parity.cpu [FRAMEWORK ...]``: rounding depends on which kernels a processor
gets, and the bounds must hold with all of them. Each framework runs once for each level, in a
process of its own.
"""

import os
import subprocess
import sys

from paramproof.builders.registry import frameworks

TESTS = ("tests/builders/test_parity.py", "tests/builders/test_family_parity.py")

LEVELS = {
    "SSE4": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "XLA_FLAGS": "--xla_cpu_max_isa=SSE4_2",
    },
    "AVX2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    },
}
"""Variables of PyTorch, of oneDNN (in TensorFlow and PyTorch) and of XLA (JAX)."""


def variables(level: str) -> dict[str, str]:
    """The environment of a level: XLA's flags are added to those there are."""
    flags = " ".join(filter(None, (os.environ.get("XLA_FLAGS"), LEVELS[level]["XLA_FLAGS"])))
    return {**os.environ, **LEVELS[level], "XLA_FLAGS": flags}


def main() -> int:
    """Run them all, whatever fails; the status says whether any did."""
    failed = []
    for level in LEVELS:
        for name in sys.argv[1:] or frameworks():
            print(f"\n{name}, no instructions beyond {level}", flush=True)
            command = ["pytest", "--framework", name, "--require", "-q", *TESTS]
            if subprocess.run(command, env=variables(level)).returncode:
                failed.append(f"{name} with {level}")
    print(f"\nfailed: {', '.join(failed)}" if failed else "\neach holds at every level")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
