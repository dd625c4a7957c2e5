"""The command ``paramproof``.

Each command is a module of its own, which is imported only when it runs. Exit status: 0 if equal, 1
if different (or if a framework broke), 2 for bad usage or input, with one line on standard error,
and 128 + N if signal N ended it: child processes are then ended, and the terminal is restored.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from importlib import import_module
from types import FrameType
from typing import NoReturn

import click

from paramproof.cli.output import complain, finish
from paramproof.formulas.errors import BROKEN_PLUGINS, FormulaError
from paramproof.formulas.printing import path_text
from paramproof.views.terminal import write_any_sign

NOT_WRITTEN = (errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC)

GROUPS = {
    "Models": ("count", "explain", "diff", "models"),
    "Your own code and weights": ("derive", "compare", "checkpoint"),
    "Frameworks": ("frameworks", "verify", "differences"),
}
"""The commands by what they are about, those first that users need first."""

COMMANDS = tuple(name for names in GROUPS.values() for name in names)

OTHER_NAMES = {"checkpoint": "compare"}

SIGPIPE = 13  # It ends a program on POSIX if nobody reads its output any more.
ASKING_TO_END = ("SIGTERM", "SIGHUP", "SIGBREAK")  # The latter are POSIX's and Windows's own.

EXAMPLES = """\b
Examples:
  paramproof count bert-base       count a model, component by component
  paramproof count qwen3           count a model type, at its default sizes
  paramproof explain 110M          find which parameters a number counts
"""


class Ended(BaseException):
    """A signal has asked this process to end. Not an ``Exception``, so that none is caught."""


class _Commands(click.Group):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = OTHER_NAMES.get(cmd_name, cmd_name)
        found = import_module(f"paramproof.cli.{module}")
        command: click.Command = getattr(found, f"{module}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for group, names in GROUPS.items():
            found = ((name, self.get_command(ctx, name)) for name in names)
            rows = [(name.ljust(width), one.get_short_help_str()) for name, one in found if one]
            with formatter.section(group):
                formatter.write_dl(rows)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
    invoke_without_command=True,
    result_callback=finish,
    subcommand_metavar="COMMAND [ARGS]...",
)
@click.version_option(package_name="paramproof")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Count the parameters of transformers, by formulas checked against real frameworks."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        sys.exit(2)


# Click lists these names in the help, and suggests them for a misspelt command.
cli.commands.update(dict.fromkeys(COMMANDS, click.Command(None)))


def main() -> None:
    """Run the command; print a user's mistake as one line and exit with status 2."""
    if sys.stdout is None:
        _fail("standard output is closed")
    write_any_sign(sys.stdout)
    write_any_sign(sys.stderr)
    _heed_signals()
    stdout = sys.stdout
    try:
        try:
            cli.main(prog_name="paramproof", standalone_mode=False)
        finally:
            sys.stdout.flush()
            _remark_on_plugins(sys.exc_info()[1])
    except click.ClickException as error:
        _fail(error.format_message())
    except (ValueError, FormulaError) as error:
        _fail(error, status=1 if isinstance(error, FormulaError) else 2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except Ended as ended:
        _end_by(*ended.args)
    except SystemExit as ending:
        # Click has then wrapped its output, and rich has caught the error.
        if sys.stdout is not stdout or isinstance(ending.__context__, BrokenPipeError):
            _end_by(SIGPIPE)
        raise
    except OSError as error:
        # Windows reports a pipe that has lost its reader as an invalid argument.
        is_pipe = not (error.filename or hasattr(signal, "SIGPIPE"))
        if isinstance(error, BrokenPipeError) or (is_pipe and error.errno == errno.EINVAL):
            _end_by(SIGPIPE)
        _discard_output()
        named = "standard output" if error.errno in NOT_WRITTEN else "paramproof"
        where = path_text(error.filename) if error.filename else named
        _fail(f"{where}: {error.strerror or error}")


def _heed_signals() -> None:
    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # A second signal ends the process at once.
        raise Ended(number)

    # A signal with another handler, as nohup sets one, is left alone.
    for number in (getattr(signal, name, None) for name in ASKING_TO_END):
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)


def _end_by(number: int) -> NoReturn:
    _discard_output()
    sys.exit(128 + number)


def _discard_output() -> None:
    """Discard the rest of the output, which Python would try to write at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _remark_on_plugins(error: BaseException | None) -> None:
    """Print the errors of the broken plug-ins, except one that ``error`` already reports."""
    reported = []
    while error:
        reported.append(error)
        error = error.__cause__ or error.__context__
    for broken in BROKEN_PLUGINS.values():
        if broken not in reported:
            complain(broken)


def _fail(problem: object, status: int = 2) -> NoReturn:
    # Without a standard error, only the status reports the failure.
    complain(problem)
    sys.exit(status)
