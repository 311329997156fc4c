"""Every experiment by name, in the order of the chapter."""

from difflib import get_close_matches

from trained import (
    averages,
    cost,
    division,
    ladder,
    norms,
    order,
    positions,
    referent,
    referent_attention,
    same,
    scores,
    sizes,
    small_model,
    tokens,
)
from trained.errors import TrainedError
from trained.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        tokens.EXPERIMENT,
        averages.SHUFFLED,
        averages.THREE_WAYS,
        ladder.EXPERIMENT,
        scores.VARIANCE,
        scores.EFFECTIVE,
        scores.FROZEN_ROWS,
        division.EXPERIMENT,
        sizes.SHARES,
        norms.EXPERIMENT,
        order.EXPERIMENT,
        positions.EXPERIMENT,
        cost.EXPERIMENT,
        sizes.FORMULA,
        referent.CHEATABLE,
        referent.FAIR,
        referent_attention.EXPERIMENT,
        same.EXPERIMENT,
        small_model.EXPERIMENT,
    )
}


def find(name: str) -> Experiment:
    """The experiment. TrainedError for an unknown name, with the near one."""
    if name not in EXPERIMENTS:
        near = get_close_matches(name, EXPERIMENTS, 1)
        raise TrainedError(f"no experiment {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return EXPERIMENTS[name]
