"""The palette: AA contrast in both schemes, and hues that the common colour blindnesses keep apart."""

import itertools
import re

import numpy as np
import pytest
from conftest import ROOT

STYLES = ROOT / "docs" / "assets" / "css"
FAMILIES = ["stream", "query", "key", "value", "attention", "mlp", "norm", "output"]
# Distances in OKLab, where about 0.02 is just noticeable: the symbol tells tensors apart, the hue helps.
NOTICEABLE = 0.05
# Linear-light simulation of a full deficiency: Machado, Oliveira and Fernandes (2009), table 1, severity 1.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}


def palette(scheme: str) -> dict[str, str]:
    text = (STYLES / "colours.css").read_text(encoding="utf-8")
    block = re.search(rf'\[data-md-color-scheme="{scheme}"\] {{(.*?)}}', text, re.DOTALL)[1]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance and contrast ratio."""
    luminances = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) + 0.05 for colour in (one, other))
    return luminances[1] / luminances[0]


def oklab(light: np.ndarray) -> np.ndarray:
    """Björn Ottosson (2020), "A perceptual color space for image processing"."""
    cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]]) @ np.clip(light, 0, 1)
    return np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                     [0.0259040371, 0.7827717662, -0.8086757660]]) @ np.cbrt(cones)


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("name", [*FAMILIES, "ink", "ink-soft"])
def test_text_reaches_aa_contrast_on_every_ground(scheme, name):
    colours = palette(scheme)
    grounds = ["ground", "ground-raised"] + (["highlight"] if name == "ink" else [])
    for ground in grounds:
        assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_hues_stay_apart_for_colour_blind_readers(scheme, deficiency):
    colours = palette(scheme)
    seen = {name: oklab(DEFICIENCIES[deficiency] @ linear(colours[name])) for name in FAMILIES}
    close = {
        (one, other): round(float(np.linalg.norm(seen[one] - seen[other])), 3)
        for one, other in itertools.combinations(FAMILIES, 2)
        if np.linalg.norm(seen[one] - seen[other]) < NOTICEABLE
    }
    assert not close


def test_positive_and_negative_tints_are_equally_light_and_apart():
    for scheme in ("default", "slate"):
        colours = palette(scheme)
        for matrix in DEFICIENCIES.values():
            positive, negative = (oklab(matrix @ linear(colours[name])) for name in ("positive", "negative"))
            assert np.linalg.norm((positive - negative)[1:]) > 0.05


def test_the_scheme_without_javascript_is_the_dark_one():
    text = (STYLES / "colours.css").read_text(encoding="utf-8")
    block = re.search(r"\.no-js, \.no-js \[data-md-color-scheme\] {(.*?)}", text, re.DOTALL)[1]
    assert dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) == palette("slate")
