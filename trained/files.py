"""Files that are whole or not there: JSON and safetensors, written aside and then moved into place."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from toymodel.files import replacing
from trained.errors import TrainedError


def write_json(path: Path, content: object) -> None:
    """One innermost list on a line. ValueError for a number that is not finite."""
    with replacing(path) as aside:
        aside.write_text(laid_out(content) + "\n", encoding="utf-8")


def laid_out(content: object, indent: str = "") -> str:
    """JSON for people: an object's members one a line, a list of plain values on one line."""
    deeper = indent + " "
    if isinstance(content, Mapping) and content:
        members = [f"{deeper}{json.dumps(str(key))}: {laid_out(value, deeper)}" for key, value in content.items()]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(content, list) and any(isinstance(item, (list, Mapping)) for item in content):
        return "[\n" + ",\n".join(deeper + laid_out(item, deeper) for item in content) + f"\n{indent}]"
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def read_json(path: Path) -> dict:
    """Raises TrainedError, with the place, for a file that is missing, cut short or no object."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TrainedError(f"{path}: there is no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise TrainedError(f"{path}: damaged or cut short ({error}); nothing was written over it") from None
    if not isinstance(content, dict):
        raise TrainedError(f"{path}: expected an object, got {type(content).__name__}")
    return content


def write_tensors(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, object]) -> None:
    """Tensors, and what there is to say about them, as safetensors."""
    with replacing(path) as aside:
        metadata = {"about": json.dumps(about, allow_nan=False)}
        save_file({name: tensor.detach().contiguous().cpu() for name, tensor in tensors.items()}, aside, metadata)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict]:
    """The tensors and what was said about them. Raises TrainedError for a damaged file."""
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["about"])  # noqa: SIM118
    except FileNotFoundError:
        raise TrainedError(f"{path}: there is no such file") from None
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise TrainedError(f"{path}: damaged or cut short ({error}); nothing was written over it") from None


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    return sha256(path.read_bytes()).hexdigest()
