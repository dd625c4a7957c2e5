"""Run the parity tests with frameworks restricted to older processor instructions.

``python -m tests.parity.cpu [FRAMEWORK ...]``: rounding depends on the kernels that a processor
selects, and the bounds must hold with all of them. Each framework runs once per level, in a
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
"""Variables for PyTorch, for oneDNN (in TensorFlow and PyTorch) and for XLA (JAX)."""


def variables(level: str) -> dict[str, str]:
    """Return the environment for a level; XLA's flags are appended to existing ones."""
    flags = " ".join(filter(None, (os.environ.get("XLA_FLAGS"), LEVELS[level]["XLA_FLAGS"])))
    return {**os.environ, **LEVELS[level], "XLA_FLAGS": flags}


def main() -> int:
    """Run all of them, even after a failure; the status tells whether any failed."""
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
