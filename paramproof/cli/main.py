"""The command ``paramproof``.

Exit status: 0 equal, 1 different (or a framework that broke), 2 bad usage or input, with
one line on standard error; 128 + N, ended by signal N.
"""

from __future__ import annotations

import os
import sys

import click

from paramproof.builders.registry import frameworks
from paramproof.checking.model import FormulaError
from paramproof.cli.checkpoint import checkpoint_command
from paramproof.cli.compare import compare_command
from paramproof.cli.count import count_command
from paramproof.cli.differences import differences_command
from paramproof.cli.explain import explain_command
from paramproof.cli.output import console
from paramproof.cli.prove import prove_command
from paramproof.cli.signals import Ended, heed_signals
from paramproof.cli.tables import frameworks_table
from paramproof.cli.verify import verify_command

# Click 8.1 has none: it prints the help itself.
NO_ARGUMENTS = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""Raised where no command is given; its message is the help, of many lines."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="paramproof")
def cli() -> None:
    """Count the parameters of transformers, by formulas checked against real frameworks."""


cli.add_command(count_command)
cli.add_command(explain_command)
cli.add_command(checkpoint_command)
cli.add_command(differences_command)
cli.add_command(verify_command)
cli.add_command(compare_command)
cli.add_command(prove_command)


@cli.command("frameworks", short_help="List the frameworks, installed or not.")
def frameworks_command() -> None:
    """List the frameworks: which are installed, in which version, and how to install others."""
    console.print(frameworks_table(list(frameworks().values())))


def main() -> None:
    """Run the command; print a user's mistake as one line and exit with status 2."""
    heed_signals()
    try:
        cli.main(standalone_mode=False)
    except NO_ARGUMENTS as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        _fail(error.format_message())
    except ValueError as error:
        _fail(str(error))
    except FormulaError as error:
        _fail(str(error), status=1)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except Ended as ended:
        sys.exit(128 + ended.number)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _fail(message: str, status: int = 2) -> None:
    print(f"paramproof: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(status)
