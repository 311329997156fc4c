"""GPT-2 small's published weights: fetched when asked for, checked, and found again.

They lie in the local Hugging Face cache, which other programs share. The hashes are those of the
pinned revision's files.
"""

import hashlib
from pathlib import Path

from huggingface_hub import hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

from toymodel.weights import WeightsError

REPOSITORY, REVISION = "openai-community/gpt2", "607a30d783dfa663caf39e06633721c8d4cfcd7e"
SHA_256 = {
    "config.json": "0daed7749b4f02b8f76240d5444551d7b08712dab4d0adb8239c56ba823bb7b4",
    "model.safetensors": "248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707",
}
COMMAND = "python -m toymodel.gpt2 fetch"


def cached() -> Path:
    """The folder of the pinned revision in the local cache, its files checked; never the network.

    Raises WeightsError, with what to do, when they are not there or have been altered.
    """
    found = {name: try_to_load_from_cache(REPOSITORY, name, revision=REVISION) for name in SHA_256}
    if not all(isinstance(file, str) for file in found.values()):
        raise WeightsError(
            f"GPT-2 small's weights are not in the local Hugging Face cache: `{COMMAND}` gets them, "
            "548 MB, or give a safetensors file or folder with --weights PATH"
        )
    for name, file in found.items():
        check(Path(file), SHA_256[name])
    return Path(found["model.safetensors"]).parent


def fetch() -> Path:
    """Download what is not in the cache yet, showing progress, and check it. Returns the folder.

    A download that broke off is taken up where it stopped. Raises WeightsError when the network or
    the server does not answer, and for a file that is not the published one.
    """
    for name, expected in SHA_256.items():
        try:
            file = hf_hub_download(REPOSITORY, name, revision=REVISION)
        except (HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError) as error:
            raise WeightsError(
                f"{name} of {REPOSITORY} cannot be fetched: {str(error).splitlines()[0].rstrip('.')}; "
                f"run `{COMMAND}` again when the network is there: it goes on where it stopped"
            ) from None
        check(Path(file), expected)
    return Path(file).parent


def check(file: Path, expected: str) -> None:
    """Raises WeightsError for a file whose SHA-256 is another than expected."""
    with file.open("rb") as content:
        got = hashlib.file_digest(content, "sha256").hexdigest()
    if got != expected:
        raise WeightsError(
            f"{file}: altered or damaged: SHA-256 {got}, the published file has {expected}; "
            f"delete it and run `{COMMAND}`"
        )
