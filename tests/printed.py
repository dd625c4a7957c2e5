"""What a command has printed, read again."""

import re

COMPLETION_IN_BASH = 'eval "$(_PARAMPROOF_COMPLETE=bash_source paramproof)"'


def rows(stdout):
    """The cells of a printed table, by the first."""
    lines = (re.split(r"  +", line.strip()) for line in stdout.splitlines())
    return {cells[0]: cells[1:] for cells in lines}
