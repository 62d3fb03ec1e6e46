"""Draws charts as pixels, for reports inside event files. Needs only numpy and the engine's font.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _engine

Color = tuple[int, int, int]

INK: Color = (32, 33, 36)
FAINT: Color = (218, 220, 224)
BASELINE: Color = (154, 160, 166)
BETTER: Color = (24, 128, 56)
WORSE: Color = (197, 34, 31)
# Colours that colour-blind people can distinguish (Okabe and Ito).
SERIES: tuple[Color, ...] = ((0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167))

_LETTER = 12  # The width of a letter, and the height of a line, at the size used here.
_LINE = 20
_MARGIN = 20


class Canvas:
    """A white picture to draw on. Drawing outside of the picture has no effect."""

    def __init__(self, width: int, height: int) -> None:
        self.pixels = np.full((height, width, 3), 255, dtype=np.uint8)

    def rectangle(self, x: float, y: float, width: float, height: float, color: Color) -> None:
        left, top = max(round(x), 0), max(round(y), 0)
        self.pixels[top : max(round(y + height), 0), left : max(round(x + width), 0)] = color

    def text(self, x: float, y: float, text: str, color: Color = INK) -> None:
        """Draws `text` in letters of 10 x 16 pixels; `x` and `y` are its top left corner."""
        dots = np.frombuffer(_engine.text_dots(text), dtype=np.uint8).reshape(8, -1)
        ink = np.kron(dots, np.ones((2, 2), dtype=np.uint8)).astype(bool)
        left, top = max(round(x), 0), max(round(y), 0)
        place = self.pixels[top : top + ink.shape[0], left : left + ink.shape[1]]
        place[ink[: place.shape[0], : place.shape[1]]] = color


class Bar(NamedTuple):
    label: str
    value: float
    color: Color


def _width(texts: Sequence[str]) -> int:
    return _LETTER * max((len(text) for text in texts), default=0)


def bar_chart(title: str, groups: Mapping[str, Sequence[Bar]]) -> Any:
    """Draws a group of bars per name. Each group has its own scale; all scales begin at 0. Returns
    an array H x W x 3 of bytes.
    """
    labels = [bar.label for bars in groups.values() for bar in bars]
    shown = {bar: f"{bar.value:.6g}" for bars in groups.values() for bar in bars}
    names, values = _width(labels), _width(list(shown.values()))
    length = 360
    width = max(3 * _MARGIN + names + length + values, 2 * _MARGIN + _width([title, *groups]))
    lines = sum(len(bars) + 2 for bars in groups.values()) + 2
    canvas = Canvas(width, 2 * _MARGIN + lines * _LINE)
    y = _MARGIN
    canvas.text(_MARGIN, y, title)
    y += 2 * _LINE
    left = 2 * _MARGIN + names
    for name, bars in groups.items():
        canvas.text(_MARGIN, y, name)
        y += _LINE
        longest = max((abs(bar.value) for bar in bars), default=0.0)
        for bar in bars:
            part = abs(bar.value) / longest if longest > 0 else 0.0
            canvas.text(_MARGIN, y, bar.label)
            canvas.rectangle(left, y + 1, max(part * length, 1), _LINE - 6, bar.color)
            canvas.text(left + part * length + 8, y, shown[bar])
            y += _LINE
        y += _LINE
    return canvas.pixels


def factor_chart(title: str, factors: Mapping[str, float]) -> Any:
    """Draws factors on a logarithmic scale around 1: gains to the right, losses to the left.

    Returns an array H x W x 3 of bytes.
    """
    logs = {name: math.log2(value) for name, value in factors.items() if value > 0}
    reach = max([abs(value) for value in logs.values()] + [0.5])
    half = 220
    names, values = _width(list(logs)), _width(["0.0000"])
    width = max(3 * _MARGIN + names + 2 * (half + values), 2 * _MARGIN + _width([title]))
    canvas = Canvas(width, 2 * _MARGIN + (len(logs) + 2) * _LINE)
    canvas.text(_MARGIN, _MARGIN, title)
    middle = 2 * _MARGIN + names + values + half
    top = _MARGIN + 2 * _LINE
    canvas.rectangle(middle - 1, top - 4, 2, len(logs) * _LINE + 4, FAINT)
    for row, (name, value) in enumerate(logs.items()):
        y = top + row * _LINE
        size = abs(value) / reach * half
        text = f"{factors[name]:.4g}"
        canvas.text(_MARGIN, y, name)
        if value >= 0:
            canvas.rectangle(middle, y + 1, max(size, 1), _LINE - 6, BETTER)
            canvas.text(middle + size + 8, y, text)
        else:
            canvas.rectangle(middle - size, y + 1, size, _LINE - 6, WORSE)
            canvas.text(middle - size - 8 - _width([text]), y, text)
    return canvas.pixels
