"""Gets scikit-learn's digits into a folder: 1797 handwritten digits of 8 x 8 pixels, as CSV.

    fetch_digits.py FOLDER

The data set is a file in scikit-learn's package; nothing of the package is installed. Does nothing
when the file is there.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

INSIDE = "sklearn/datasets/data/digits.csv.gz"


def fetch(folder: Path) -> Path:
    target = folder / "digits.csv.gz"
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as download:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--dest", download, "scikit-learn"], check=True)
        with zipfile.ZipFile(next(Path(download).glob("*.whl"))) as wheel:
            partial = target.with_suffix(".partial")
            partial.write_bytes(wheel.read(INSIDE))
            partial.rename(target)
    return target


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
