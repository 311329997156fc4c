"""One way of running GPT-2 small, in a process of its own: see bench/gpt2.py.

Reads lines from standard input; for each it runs once and prints the seconds, and at the end its peak
memory in MiB. Ways named after a peer need that peer installed in the interpreter that runs this.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import torch

from toymodel.memory import keep_freed_memory

PROMPT, WRITTEN = 64, 64  # tokens, when decoding
KEPT = ", freed memory kept"  # ends the name of a way that runs with toymodel.memory's setting


def tokens(count: int) -> torch.Tensor:
    return torch.randint(50257, (count,), generator=torch.Generator().manual_seed(0))


def ours(folder: Path):
    from toymodel.checkpoint import load

    return load(folder)


def bare(folder: Path, length: int):
    from toymodel.model import logits

    model, ids = ours(folder), tokens(length)
    return lambda: logits(ids, model)


def full_trace(folder: Path, length: int):
    from toymodel.lean import LeanTrace
    from toymodel.model import logits

    model, ids = ours(folder), tokens(length)

    def run():
        trace = LeanTrace(model.config)
        logits(ids, model, trace)
        return trace

    return run


def streamed(folder: Path, length: int):
    from toymodel.selection import select
    from toymodel.stream import write_trace

    model, ids = ours(folder), tokens(length)
    out = tempfile.TemporaryDirectory()
    file = Path(out.name) / "trace.safetensors"

    def run(kept=out):
        write_trace(ids, model, file, select(), {})

    return run


def decode(folder: Path, length: int):
    from toymodel.cache import Cache, next_logits

    model, ids = ours(folder), tokens(PROMPT).tolist()

    def run():
        cache = Cache(model)
        z = next_logits(ids, model, cache)
        start = time.perf_counter()
        for _ in range(length):
            z = next_logits([int(z.argmax())], model, cache)
        return time.perf_counter() - start

    return run


def products(folder: Path, length: int):
    """What decoding in float32 cannot do without: one row times every matrix, and nothing between them."""
    w = ours(folder).parameters
    heads = [W.transpose(0, 1).flatten(1) for one in w.blocks for W in (one.W_q, one.W_k, one.W_v)]  # each d, j
    matrices = [*heads, *(W for one in w.blocks for W in (one.W_O, one.W_1, one.W_2)), w.E.mT]
    rows = [torch.ones(1, len(W)) for W in matrices]

    def run():
        start = time.perf_counter()
        for _ in range(length):
            for row, W in zip(rows, matrices, strict=True):
                row @ W
        return time.perf_counter() - start

    return run


def transformers(folder: Path, attention: str):
    from transformers import GPT2LMHeadModel

    return GPT2LMHeadModel.from_pretrained(folder, attn_implementation=attention).eval()


def transformers_bare(folder: Path, length: int):
    model, ids = transformers(folder, "sdpa"), tokens(length)[None]
    return lambda: model(ids, use_cache=False).logits


def transformers_recorded(folder: Path, length: int):
    model, ids = transformers(folder, "eager"), tokens(length)[None]
    return lambda: model(ids, use_cache=False, output_hidden_states=True, output_attentions=True)


def transformers_decode(folder: Path, length: int):
    model, ids = transformers(folder, "sdpa"), tokens(PROMPT)[None]

    def run():
        out = model(ids, use_cache=True)
        start = time.perf_counter()
        for _ in range(length):
            out = model(out.logits[:, -1:].argmax(-1), past_key_values=out.past_key_values, use_cache=True)
        return time.perf_counter() - start

    return run


def transformer_lens(folder: Path, length: int):
    from transformer_lens.model_bridge import TransformerBridge

    model, ids = transformers(folder, "eager"), tokens(length)[None]
    bridge = TransformerBridge.boot_transformers(str(folder), hf_model=model, device="cpu")
    return lambda: bridge.run_with_cache(ids)


def onnxruntime_decode(folder: Path, length: int):
    """The step that bench/onnx_decoder.py exported."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(folder / "decoder.onnx", options, ["CPUExecutionProvider"])
    prompt = tokens(PROMPT).tolist()

    def step(token: int, position: int, keys, values):
        inputs = {"token": numpy.array([token]), "position": numpy.array([position]), "keys": keys, "values": values}
        z, keys, values = session.run(None, inputs)
        return int(z.argmax()), keys, values

    def run():
        keys = values = numpy.zeros((12, 12, 0, 64), numpy.float32)
        for position, one in enumerate(prompt):
            token, keys, values = step(one, position, keys, values)
        start = time.perf_counter()
        for position in range(PROMPT, PROMPT + length):
            token, keys, values = step(token, position, keys, values)
        return time.perf_counter() - start

    return run


def peak() -> float:
    """The most memory this process had resident so far, in MiB (getrusage would count its parent's)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


WAYS = {
    "ours, bare": bare,
    "ours, full trace": full_trace,
    "ours, streamed": streamed,
    "ours, decoding": decode,
    "ours, the products alone": products,
    "transformers sdpa, bare": transformers_bare,
    "transformers eager, recorded": transformers_recorded,
    "transformers, decoding": transformers_decode,
    "TransformerLens, run_with_cache": transformer_lens,
    "onnxruntime, decoding": onnxruntime_decode,
}


def main() -> None:
    way, length, folder, threads = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    os.environ["HF_HUB_OFFLINE"] = "1"
    torch.set_num_threads(threads)
    if way.endswith(KEPT):
        keep_freed_memory()
    with torch.inference_mode():
        run = WAYS[way.removesuffix(KEPT)](folder, length)
        print("ready", flush=True)
        for _ in sys.stdin:
            start, cpu = time.perf_counter(), time.process_time()
            inner = run()
            seconds = inner if isinstance(inner, float) else time.perf_counter() - start
            spent = time.process_time() - cpu
            del inner
            print(seconds, spent, flush=True)
    print(peak(), flush=True)


if __name__ == "__main__":
    main()
