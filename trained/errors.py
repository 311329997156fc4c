"""What a person who runs an experiment can mend."""


class TrainedError(ValueError):
    """A corpus, checkpoint, state or result that is not what it should be, said in one sentence."""
