"""Good content with one place made bad, for tests of what must be refused."""

import json


def changed(content, path, value):
    """A copy with another value at one place, given by keys and indices from 0; without it, where the value is None."""
    copy = json.loads(json.dumps(content))
    *outer, last = path
    part = copy
    for key in outer:
        part = part[key]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return copy
