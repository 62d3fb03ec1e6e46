"""The projector's files."""

from compression_board.embedding import (  # noqa: F401
    append_pbtxt,
    make_mat,
    make_sprite,
    make_tsv,
    maybe_upload_file,
)
