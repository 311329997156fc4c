"""What the laboratory's scripts need to run a trained model in the browser: its files, and each language's words."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from worked.alive import marks_of, write_module
from worked.catalogue import Catalogue
from worked.errors import AuthorError

FILES = ("model.safetensors", "config.json", "tokenizer.json")


def write_live(assets: Path, models: Mapping[str, Path], catalogues: Iterable[Catalogue]) -> None:
    """Publish models, each a folder by its name, under `assets` (models/<name>/), with modules that tell the scripts
    what is there (js/gpt/models.js) and the words (js/gpt/lang/<code>.js).

    A folder that is not there is left out, and the page says so. Raises AuthorError for one that lacks a file.
    """
    published = {}
    for name, folder in models.items():
        if not folder.is_dir():
            continue
        missing = [file for file in FILES if not (folder / file).is_file()]
        if missing:
            raise AuthorError(f"{folder.name}: a model in the browser needs {missing[0]}, which is not there")
        target = assets / "models" / name
        target.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            shutil.copyfile(folder / file, target / file)
        published[name] = {"bytes": sum((folder / file).stat().st_size for file in FILES)}
    scripts = assets / "js" / "gpt"
    (scripts / "lang").mkdir(parents=True, exist_ok=True)
    write_module(scripts / "models.js", published)
    for words in catalogues:
        content = {"marks": marks_of(words.language), "words": words.live.plain()}
        write_module(scripts / "lang" / f"{words.language}.js", content)
