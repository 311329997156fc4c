"""What is measured: small trainings and exact computations, their results and checkpoints.

`python -m trained list` says what there is. Read `trained.ladder` for how an experiment is
written and `trained.training` for how a model is trained; README.md describes the result files.
"""
