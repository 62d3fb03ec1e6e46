"""Creates the log of examples/tune_digits.py, once per place.

    walkthrough.py FOLDER

Creates FOLDER/runs/eval with a baseline, a trial with low accuracy and a corrected trial.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "build" / "digits" / "digits.csv.gz"
NAME = re.compile(r"(baseline|tune_\d)_acc_(\d\.\d+)")


class Trial(NamedTuple):
    directory: Path
    accuracy: float


def tune(folder: Path) -> dict[str, Trial]:
    """Returns the trials by name: baseline, tune_1, tune_2."""
    subprocess.run([ROOT / "scripts" / "fetch-digits"], check=True)
    example = [sys.executable, ROOT / "examples" / "tune_digits.py", DIGITS]
    subprocess.run([*example, "--logdir", "runs/eval"], cwd=folder, check=True)
    trials = {}
    for directory in (folder / "runs" / "eval").iterdir():
        name, accuracy = NAME.fullmatch(directory.name).groups()
        trials[name] = Trial(directory, float(accuracy))
    return trials


if __name__ == "__main__":
    tune(Path(sys.argv[1]))
