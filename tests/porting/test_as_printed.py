"""The porting guide as printed, in one environment with every framework."""

from paramproof.builders.registry import frameworks
from paramproof.weights.files import read_weights
from paramproof.weights.transfer import stored_tensors
from tests.porting.guide import ENVIRONMENTS, FILE, SPEC, checks, script
from tests.sessions import run_python


def test_as_printed(tmp_path, together):
    """Run the scripts in order, in the processes they need; check the sentences below each."""
    together(name for names in ENVIRONMENTS.values() for name in names)
    for name, names in ENVIRONMENTS.items():
        variables = {k: v for each in names for k, v in frameworks()[each].environment.items()}
        (tmp_path / name).write_text(script(name) + checks(name))
        done = run_python(name, cwd=tmp_path, **variables)
        assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / FILE, SPEC)) == set(stored_tensors(SPEC))
