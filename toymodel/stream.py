"""The recorder that writes every value to one safetensors file as it is made, and keeps none.

A safetensors file begins with a header that says where each tensor lies. Room for it is left free;
it is written when all is known. Until then the file has another name, so that a run that breaks off
leaves the last good trace alone.
"""

import ctypes
import json
import os
from math import prod
from pathlib import Path

import torch
from torch import Tensor

from toymodel.model import Model, logits, predict
from toymodel.selection import Selection
from toymodel.trace import check_recorded, describe

DTYPES = {torch.float32: "F32", torch.float64: "F64"}
HEADER = 1 << 18  # bytes; GPT-2 XL's 1,200 entries take 120 KB
ROWS = 64  # of the vocabulary's width, at a time
OUTPUT = ("exp_z", "p")


def write_trace(tokens: Tensor, model: Model, file: Path, selection: Selection, about: dict[str, str], record=None):
    """Run the model on token ids (t) and write the selected values to `file`: see `Stream`.

    The probabilities are made a few rows at a time: they would take as much room as everything else.
    `record` may wrap the stream: a function of a recorder that returns a recorder.
    """
    with Stream(file, len(tokens), selection, about) as stream:
        z = logits(tokens, model, stream if record is None else record(stream))
        if any(selection(name, None) for name in OUTPUT):
            for rows in z.split(ROWS):
                predict(rows, model.config, stream)


class Stream:
    """A recorder of one forward pass on `length` tokens; `with Stream(...) as stream` finishes the file.

    Values of a block are called "block.3.q", the others by their names alone. `about` becomes the
    file's metadata. Rows of a value may come in parts, the first ones first.
    """

    def __init__(self, file: Path, length: int, selection: Selection, about: dict[str, str]):
        self._file, self._draft = file, file.with_name(file.name + ".part")
        self._length, self._selection, self._about = length, selection, about
        self._entries: dict[str, dict] = {}
        self._filled: dict[str, int] = {}  # bytes written of each value
        self._end = 0  # of the data so far, in bytes

    def __enter__(self) -> "Stream":
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._out = self._draft.open("wb")
        return self

    def __exit__(self, kind, error, traceback) -> None:
        """Finish the file; after an error leave none. Raises ValueError for a value that lacks rows."""
        finished = False
        try:
            if error is None:
                self._write_header()
                finished = True
        finally:
            self._out.close()
            if finished:
                os.replace(self._draft, self._file)
            else:
                self._draft.unlink()

    def wants(self, name: str, block: int | None) -> bool:
        return self._selection(name, block)

    def __call__(self, name: str, value: Tensor, block: int | None = None) -> Tensor:
        """Write a value, or its next rows. Raises as Trace does."""
        entry = check_recorded(name, value, block)
        if not self._selection(name, block):
            return value
        key = name if block is None else f"block.{block}.{name}"
        plain = value.detach().contiguous()
        if key not in self._entries:
            shape = [self._length if axis == "t" else n for axis, n in zip(entry.axes, plain.shape, strict=True)]
            start, self._end = self._end, self._end + prod(shape) * plain.element_size()
            self._entries[key] = {
                "dtype": DTYPES[plain.dtype], "shape": shape, "data_offsets": [start, self._end]
            }  # fmt: skip
            self._filled[key] = 0
        start, end = self._entries[key]["data_offsets"]
        here = start + self._filled[key]
        if here + plain.nbytes > end:
            raise ValueError(f"{describe(name, block)}: already recorded")
        self._out.seek(8 + HEADER + here)
        self._out.write((ctypes.c_ubyte * plain.nbytes).from_address(plain.data_ptr()))  # its memory, not a copy
        self._filled[key] += plain.nbytes
        return value

    def _write_header(self) -> None:
        for key, entry in self._entries.items():
            first, last = entry["data_offsets"]
            if self._filled[key] != last - first:
                raise ValueError(f"{key}: some of the {self._length} rows were never recorded")
        header = json.dumps({"__metadata__": self._about, **self._entries}).encode()
        if len(header) > HEADER:
            raise ValueError(f"{len(self._entries)} values are too many for one file: select fewer")
        self._out.seek(0)
        self._out.write(HEADER.to_bytes(8, "little") + header.ljust(HEADER))
