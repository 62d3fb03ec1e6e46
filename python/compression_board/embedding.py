"""Writes the files of TensorBoard's PROJECTOR page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from . import _engine
from ._engine import stored_tag
from .errors import check
from .tensors import as_engine, make_np
from .types import ArrayLike


def _rows(metadata: Optional[Sequence[Any]], header: Optional[Sequence[str]]) -> list[list[str]]:
    if metadata is None:
        return []
    if header:
        return [[str(item) for item in row] for row in metadata]
    return [[str(item)] for item in metadata]


def embedding_files(
    mat: ArrayLike,
    metadata: Optional[Sequence[Any]],
    label_img: Optional[ArrayLike],
    step: int,
    tag: str,
    header: Optional[Sequence[str]],
) -> Any:
    matrix = make_np(mat)
    check(matrix.ndim == 2, "mat should be 2D, where mat.size(0) is the number of data points")
    if metadata is not None:
        check(len(metadata) == matrix.shape[0], "#labels should equal with #data points")
        if header:
            check(
                all(len(row) == len(header) for row in metadata),
                "len of header must be equal to the number of columns in metadata",
            )
    if label_img is not None:
        shape = np.shape(make_np(label_img))
        check(len(shape) == 4, f"label_img should be NCHW, but has the shape {shape}")
        check(shape[0] == matrix.shape[0], "#images should equal with #data points")
        check(shape[2] == shape[3], "Image should be square, see tensorflow/tensorboard#670")
    images = None if label_img is None else as_engine(label_img)
    return _engine.embedding_files(
        as_engine(matrix), _rows(metadata, header), list(header or []), images, stored_tag(tag), step
    )


def write_embedding(
    logdir: Optional[str],
    mat: ArrayLike,
    metadata: Optional[Sequence[Any]],
    label_img: Optional[ArrayLike],
    step: int,
    tag: str,
    header: Optional[Sequence[str]],
    *,
    durable: bool = False,
) -> None:
    folder, tensors, labels, block, sprite = embedding_files(
        mat, metadata, label_img, step, tag, header
    )
    if logdir is None:  # The writer writes nothing to the disk.
        return
    path = os.path.join(logdir, folder)
    if os.path.isdir(path):
        print(f"warning: Embedding dir exists, did you set global_step for add_embedding()? {path}")
    for name, content in (
        ("tensors.tsv", tensors),
        ("metadata.tsv", labels),
        ("sprite.png", sprite),
    ):
        if content is not None:
            _engine.write_file(os.path.join(path, name), content, durable)
    # The config file is written last: the projector must not find names of files that do not exist
    # yet.
    config = os.path.join(logdir, "projector_config.pbtxt")
    _engine.append_to_file(config, block.encode(), durable)


def make_tsv(
    metadata: Sequence[Any],
    save_path: str,
    metadata_header: Optional[Sequence[str]] = None,
) -> None:
    rows = np.zeros((len(metadata), 1))
    labels = embedding_files(rows, metadata, None, 0, "default", metadata_header)[2]
    _engine.write_file(os.path.join(save_path, "metadata.tsv"), labels)


def make_sprite(label_img: Optional[ArrayLike], save_path: str) -> None:
    rows = np.zeros((np.shape(make_np(label_img))[0], 1))
    _engine.write_file(
        os.path.join(save_path, "sprite.png"),
        embedding_files(rows, None, label_img, 0, "default", None)[4],
    )


def make_mat(matlist: ArrayLike, save_path: str) -> None:
    tensors = embedding_files(np.asarray(matlist), None, None, 0, "default", None)[1]
    _engine.write_file(os.path.join(save_path, "tensors.tsv"), tensors)


def append_pbtxt(
    metadata: Optional[Sequence[Any]],
    label_img: Optional[ArrayLike],
    save_path: str,
    subdir: str,
    global_step: Any,
    tag: str,
) -> None:
    lines = ["embeddings {", f'tensor_name: "{tag}:{str(global_step).zfill(5)}"',
             f'tensor_path: "{subdir}/tensors.tsv"']  # fmt: skip
    if metadata is not None:
        lines.append(f'metadata_path: "{subdir}/metadata.tsv"')
    if label_img is not None:
        shape = np.shape(make_np(label_img))
        lines += ["sprite {", f'image_path: "{subdir}/sprite.png"', f"single_image_dim: {shape[3]}",
                  f"single_image_dim: {shape[2]}", "}"]  # fmt: skip
    config = os.path.join(save_path, "projector_config.pbtxt")
    _engine.append_to_file(config, "\n".join([*lines, "}", ""]).encode())
