"""Says so when the original tensorboardX is installed into the same place."""

import os
import sys
import warnings


def warn_if_installed() -> None:
    """Two packages that own the same files: one pip uninstall would break the other."""
    site = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        names = os.listdir(site)
    except OSError:
        return
    original = [n for n in names if n.lower().startswith("tensorboardx-") and n.endswith("-info")]
    if original:
        warnings.warn(
            f"the original tensorboardX ({original[0]}) is installed over compression-board's "
            f"drop-in, in {site}; run `{sys.executable} -m pip uninstall tensorboardX`, then "
            "reinstall compression-board",
            RuntimeWarning,
            stacklevel=3,
        )
