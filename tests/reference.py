"""The toy by another road: NumPy in float64, and mpmath with 50 digits.

Imports nothing from `toymodel` and reads `toymodel/toy.json` itself. Both roads return every
value of a run, parameters included, as nested lists under the registry's names.
"""

import json
import math
from pathlib import Path

import mpmath
import numpy as np

TOY_FILE = Path(__file__).parents[1] / "toymodel" / "toy.json"
PARAMETERS = ("E", "P", "W_q", "W_k", "W_v", "W_O", "W_1", "b_1", "W_2", "b_2", "W_U")
RUNS = (
    "toy", "toy.attention_off", "toy.tied", "toy.one_role", "toy.no_mask", "toy.no_scaling",
    "toy.head_1_only", "toy.head_2_only", "toy.beginning", "toy.beginning_no_mask",
    "toy.whole", "toy.dog", "toy.cached", "toy.positions_off", "toy.swapped", "toy.swapped_positions_off",
)  # fmt: skip
TOKENS = [0, 2, 4, 5, 1]  # o ␣gato ␣sub iu ␣no
SWAPPED = [0, 4, 5, 2, 1]  # o ␣sub iu ␣gato ␣no; nothing is said to follow
TARGETS = [2, 4, 5, 1, 6]  # ␣gato ␣sub iu ␣no ␣telhado
SENTENCES = {  # other prompts, with what follows each of their tokens
    "toy.whole": ([*TOKENS, 6, 10], [*TARGETS, 10, 11]),
    "toy.dog": ([0, 3, 4, 5, 1], [3, 4, 5, 1, 6]),
    "toy.cached": ([*TOKENS, 6], [*TARGETS, 10]),
    "toy.swapped": (SWAPPED, []),
    "toy.swapped_positions_off": (SWAPPED, []),
    "toy.beginning": (TOKENS[:2], TARGETS[:2]),
    "toy.beginning_no_mask": (TOKENS[:2], TARGETS[:2]),
}
WITH_HEADS = ("q", "scores", "scaled_scores", "masked_scores", "weights", "head_outputs")
DIGITS = 50
UNMASKED = ("toy.no_mask", "toy.beginning_no_mask")
SILENT_HEAD = {"toy.head_1_only": 1, "toy.head_2_only": 0}  # counted from 0


def read(number=float):
    """The file's content; every number made by `number` from its decimal text."""
    return json.loads(TOY_FILE.read_text(encoding="utf-8"), parse_float=number)


def sentence(name):
    """The token ids of a run, and the ids that follow each."""
    return SENTENCES.get(name, (TOKENS, TARGETS))


def only_last_row(values):
    """What a step with a cache computes: the last row of all but the keys and the values."""
    del values["loss"]
    for key, value in values.items():
        if key in WITH_HEADS:
            values[key] = [head[-1:] for head in value]
        elif key not in (*PARAMETERS, "k", "v"):
            values[key] = value[-1:]
    return values


# --- NumPy, whole arrays -------------------------------------------------------------------


def numpy_run(name):
    """Name to nested lists of floats, for one of RUNS."""
    values = {key: value.tolist() for key, value in numpy_arrays(name).items()}
    return only_last_row(values) if name == "toy.cached" else values


def numpy_arrays(name):
    content = read()
    w = {key: np.array(content[key], dtype=np.float64) for key in PARAMETERS}
    if name == "toy.tied":
        del w["W_U"]
    tokens, targets = sentence(name)
    epsilon, n = content["epsilon"], len(tokens)

    def normed(rows):
        mean, deviation = rows.mean(1), np.sqrt(rows.var(1) + epsilon)
        return mean, deviation, (rows - mean[:, None]) / deviation[:, None]

    out = dict(w)
    out["token_embedding"] = w["E"][tokens]
    out["position_embedding"] = w["P"][:n] * (not name.endswith("positions_off"))
    out["x"] = out["token_embedding"] + out["position_embedding"]
    out["x_mean"], out["x_deviation"], out["a"] = normed(out["x"])
    for letter in "qkv":
        out[letter] = np.einsum("td,hdc->htc", out["a"], w[f"W_{letter}"])
    out["scores"] = np.einsum("htc,hsc->hts", out["q"], out["k"])
    if name == "toy.one_role":
        out["scores"] = np.array([np.inner(out["a"], out["a"])] * len(w["W_q"]))
    out["scaled_scores"] = out["scores"] / (1 if name == "toy.no_scaling" else math.sqrt(2))
    seen = np.ones((n, n), dtype=bool) if name in UNMASKED else np.tri(n, dtype=bool)
    out["masked_scores"] = np.where(seen, out["scaled_scores"], -np.inf)
    shares = np.exp(out["masked_scores"])
    out["weights"] = shares / shares.sum(2, keepdims=True)
    out["head_outputs"] = np.einsum("hts,hsc->htc", out["weights"], out["v"])
    if name in SILENT_HEAD:
        out["head_outputs"][SILENT_HEAD[name]] = 0
    out["concatenated"] = np.concatenate(list(out["head_outputs"]), axis=1)
    attention = out["concatenated"] @ w["W_O"]
    out["att"] = 0 * attention if name == "toy.attention_off" else attention
    out["h"] = out["x"] + out["att"]
    out["h_mean"], out["h_deviation"], out["g"] = normed(out["h"])
    u = out["pre_activation"] = out["g"] @ w["W_1"] + w["b_1"]
    out["activation"] = u / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
    out["m"] = out["activation"] @ w["W_2"] + w["b_2"]
    out["y"] = out["h"] + out["m"]
    out["y_mean"], out["y_deviation"], out["f"] = normed(out["y"])
    out["z"] = out["f"] @ (w["E"].T if name == "toy.tied" else w["W_U"])
    out["exp_z"] = np.exp(out["z"])
    out["p"] = out["exp_z"] / out["exp_z"].sum(1, keepdims=True)
    if targets:
        out["loss"] = -np.log(out["p"][range(n), targets])
    return out


# --- mpmath, one number at a time ----------------------------------------------------------


def mpmath_run(name):
    """Name to nested lists of mpf with 50 digits, for one of RUNS."""
    with mpmath.workdps(DIGITS):
        values = mpmath_values(name)
        return only_last_row(values) if name == "toy.cached" else values


def mpmath_values(name):
    # Not from floats: 0.05 must be 0.05 to all 50 digits.
    content = read(number=str)
    w = {key: exact(content[key]) for key in PARAMETERS}
    if name == "toy.tied":
        del w["W_U"]
    tokens, targets = sentence(name)
    epsilon, n = mpmath.mpf(content["epsilon"]), len(tokens)
    heads = range(len(w["W_q"]))

    out = dict(w)
    out["token_embedding"] = [w["E"][token] for token in tokens]
    placeless = name.endswith("positions_off")
    out["position_embedding"] = [[mpmath.mpf(0) if placeless else value for value in row] for row in w["P"][:n]]
    out["x"] = add(out["token_embedding"], out["position_embedding"])
    out["x_mean"], out["x_deviation"], out["a"] = normed_rows(out["x"], epsilon)
    for letter in "qkv":
        out[letter] = [times(out["a"], w[f"W_{letter}"][head]) for head in heads]
    out["scores"] = [times(out["q"][head], transposed(out["k"][head])) for head in heads]
    if name == "toy.one_role":
        out["scores"] = [times(out["a"], transposed(out["a"])) for _ in heads]
    divisor = 1 if name == "toy.no_scaling" else mpmath.sqrt(2)
    out["scaled_scores"] = [
        [[score / divisor for score in row] for row in head] for head in out["scores"]
    ]
    all_seen = name in UNMASKED
    out["masked_scores"] = [
        [[head[t][s] if all_seen or s <= t else -mpmath.inf for s in range(n)] for t in range(n)]
        for head in out["scaled_scores"]
    ]
    out["weights"] = [
        [shares([mpmath.exp(score) for score in row]) for row in head]
        for head in out["masked_scores"]
    ]
    out["head_outputs"] = [times(out["weights"][head], out["v"][head]) for head in heads]
    if name in SILENT_HEAD:
        silent = out["head_outputs"][SILENT_HEAD[name]]
        out["head_outputs"][SILENT_HEAD[name]] = [[mpmath.mpf(0) for _ in row] for row in silent]
    out["concatenated"] = [[value for head in out["head_outputs"] for value in head[t]] for t in range(n)]
    attention = times(out["concatenated"], w["W_O"])
    off = name == "toy.attention_off"
    out["att"] = [[mpmath.mpf(0) if off else value for value in row] for row in attention]
    out["h"] = add(out["x"], out["att"])
    out["h_mean"], out["h_deviation"], out["g"] = normed_rows(out["h"], epsilon)
    out["pre_activation"] = add(times(out["g"], w["W_1"]), [w["b_1"]] * n)
    out["activation"] = [[gelu(u) for u in row] for row in out["pre_activation"]]
    out["m"] = add(times(out["activation"], w["W_2"]), [w["b_2"]] * n)
    out["y"] = add(out["h"], out["m"])
    out["y_mean"], out["y_deviation"], out["f"] = normed_rows(out["y"], epsilon)
    out["z"] = times(out["f"], transposed(w["E"]) if name == "toy.tied" else w["W_U"])
    out["exp_z"] = [[mpmath.exp(z) for z in row] for row in out["z"]]
    out["p"] = [shares(row) for row in out["exp_z"]]
    if targets:
        out["loss"] = [-mpmath.log(row[target]) for row, target in zip(out["p"], targets)]
    return out


def exact(entries):
    return [exact(entry) for entry in entries] if isinstance(entries, list) else mpmath.mpf(entries)


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def times(rows, matrix):
    return [
        [mpmath.fsum(a * b for a, b in zip(row, column)) for column in zip(*matrix)] for row in rows
    ]


def add(left, right):
    return [[a + b for a, b in zip(*pair)] for pair in zip(left, right)]


def shares(row):
    total = mpmath.fsum(row)
    return [value / total for value in row]


def normed_rows(rows, epsilon):
    means, deviations, normed = [], [], []
    for row in rows:
        mean = mpmath.fsum(row) / len(row)
        variance = mpmath.fsum((value - mean) ** 2 for value in row) / len(row)
        deviation = mpmath.sqrt(variance + epsilon)
        means.append(mean)
        deviations.append(deviation)
        normed.append([(value - mean) / deviation for value in row])
    return means, deviations, normed


def gelu(u):
    cubic = mpmath.mpf("0.044715") * u**3
    return u / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (u + cubic)))
