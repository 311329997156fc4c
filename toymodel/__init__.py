"""A small GPT whose every intermediate value has a name: the model behind the pages.

Read `toymodel.model` first. The package itself imports nothing, so that `toymodel.names`,
`toymodel.config` and `toymodel.facts` can be used without loading PyTorch.
"""
