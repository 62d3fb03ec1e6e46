"""Writes the files of the projector."""

from compression_board import _engine
from compression_board.embedding import append_pbtxt, make_mat, make_sprite, make_tsv

__all__ = ["append_pbtxt", "make_mat", "make_sprite", "make_tsv", "maybe_upload_file"]


def maybe_upload_file(local_path: str) -> None:
    """Uploads a file below the local directory `s3:`; does nothing for other files."""
    if local_path.startswith("s3:"):
        with open(local_path, "rb") as file:
            _engine.write_file("s3://" + local_path[3:].lstrip("/"), file.read())
