"""``paramproof compare``, also called ``checkpoint``: compare a model or a file with a formula."""

from __future__ import annotations

from collections.abc import Iterator

import click

from paramproof.cli import options
from paramproof.cli.output import CommandAnswer
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.json_form import document
from paramproof.matching.model_comparison import formula_beside, opened, report_on
from paramproof.resolver import Model
from paramproof.sources.checkpoints import Checkpoint
from paramproof.sources.tensor_names import WRAPPERS
from paramproof.verify.agreement import require_agreement

MAX_DTYPES_NAMED = 6


@click.command("compare", short_help="Compare a live model or a file of weights with a formula.")
@click.argument("thing", metavar="THING")
@click.option(
    "--model",
    default="",
    metavar="MODEL",
    shell_complete=options.MODELS,
    help="Model to compare with: a name, a config.json, or a spec as JSON. "
    "Default for a file: the spec in it, or the config.json next to it.",
)
@options.class_name
@options.as_json("the report")
def compare_command(thing: str, model: str, class_name: str) -> CommandAnswer:
    """Compare THING with the formula, tensor by tensor.

    THING is MODULE:FUNCTION, a safetensors file, the index of a sharded checkpoint
    (model.safetensors.index.json), or a directory with either.

    The function returns a model of PyTorch, Keras, tf-keras, Flax nnx, Equinox, MLX or Paddle. For
    Flax linen it returns the pair (module, variables), or the variables. The names of the weights
    do not matter, unless they are those of transformers: then names are compared too.

    Only headers of files are read, never the weights. Names are mapped as transformers maps them
    when it loads a checkpoint. A file may therefore use the names that transformers saves, with one
    tensor for each expert, or those of a model in memory. Prefixes that DataParallel, torch.compile
    and FSDP add are ignored. If the names cannot be mapped, the file is reported as different, even
    if its shapes are right.
    """
    observed = opened(thing)
    resolved = options.resolving(model or formula_beside(observed), class_name)
    canonical = resolved.canonical
    require_agreement(filter(None, [canonical.family]))
    report = report_on(observed, canonical, is_untied=bool(resolved.heads))
    body = {"compared": thing, "model": resolved.name, "equal": report.equal}
    body |= {"residual": "".join(report.residual[:1]), "frozen": report.frozen}
    body |= {"notes": report.notes, "report": report.as_data()}
    return CommandAnswer(
        lambda width: [*_about(observed, resolved), report.render(width)],
        lambda: document("comparison", body),
        status=not report.equal,
    )


def _about(observed: object, resolved: Model) -> Iterator[str]:
    if not isinstance(observed, Checkpoint):
        yield from () if resolved.names else resolved.origin()
        return
    where = f" in {observed.shards} shards" if observed.shards > 1 else ""
    dtypes = some_of([*map(legible, observed.dtypes)], MAX_DTYPES_NAMED)
    yield f"{path_text(observed.path)}: {len(observed.tensors):,} tensors{where}, {dtypes}"
    yield from resolved.origin()
    if observed.wrappers:
        names = ", ".join(f"{name}. ({WRAPPERS[name]})" for name in observed.wrappers)
        yield f"ignored in names: {names}"
