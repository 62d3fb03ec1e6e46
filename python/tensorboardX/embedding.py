"""The projector's files."""

from compression_board.embedding import (
    append_pbtxt,
    make_mat,
    make_sprite,
    make_tsv,
    maybe_upload_file,
)

__all__ = ["append_pbtxt", "make_mat", "make_sprite", "make_tsv", "maybe_upload_file"]
