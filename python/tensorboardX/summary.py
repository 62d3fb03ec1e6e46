"""One function per kind of summary, each returning a Summary message."""

from compression_board.summary import (  # noqa: F401
    _clean_tag,
    audio,
    compute_curve,
    custom_scalars,
    draw_boxes,
    histogram,
    histogram_raw,
    hparams,
    image,
    image_boxes,
    make_histogram,
    make_image,
    make_video,
    mesh,
    pr_curve,
    pr_curve_raw,
    scalar,
    text,
    video,
)
