"""Plain data with addresses: nested objects and lists whose numbers and strings know where they stand.

`tokens/gpt2/pieces/2/id` is the `id` of the second of the `pieces`: names as they are, places from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worked.address import encoded
from worked.errors import AuthorError, near_miss
from worked.numbers import Label, Number


def addressed(data: object, address: str) -> Record | list | Number | Label:
    """Objects become records, numbers exact numbers, strings labels. TypeError for anything else."""
    if isinstance(data, Mapping):
        return Record(data, address)
    if isinstance(data, list):
        return [addressed(item, f"{address}/{place}") for place, item in enumerate(data, start=1)]
    if isinstance(data, str):
        return Label(data, address)
    if isinstance(data, (int, float)) and not isinstance(data, bool):
        return Number(data, address, exact=True)
    raise TypeError(f"{address}: neither number, string, list nor object: {data!r}")


class Record:
    """An object of plain data: `record.name`, or `record["␣name"]` for any key."""

    def __init__(self, data: Mapping, address: str):
        self._data, self._address = data, address

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __getattr__(self, name: str) -> Record | list | Number | Label:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: object) -> Record | list | Number | Label:
        key = name.name if isinstance(name, Label) else name
        if key not in self._data:
            raise AuthorError(f"`{self._address}` has no `{key}`{near_miss(key, self._data)}")
        return addressed(self._data[key], f"{self._address}/{encoded(key).replace('/', '%2F')}")
