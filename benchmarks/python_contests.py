"""Compares the Python package with tensorboardX and PyTorch, with the same interpreter and the same
loop.

Every measurement includes the caller's loop, because a training script has that cost, too.
"""

import pathlib
import subprocess
import sys

import bars
import inputs
import verify
from contest import LOGDIR, Contest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ("tensorboardX", "torch")
DEBIAN_PACKAGES = pathlib.Path("/usr/lib/python3/dist-packages")


def install():
    """Builds the wheel and unpacks it into a folder that only our own rows use."""
    subprocess.run([ROOT / "tests/python/run", "--wheel"], check=True, stdout=sys.stderr)
    wheels = list((ROOT / "build/wheel").glob("*.whl"))
    target = ROOT / "build/bench/ours"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--upgrade", "--target", target, *wheels], check=True)
    return target


def debian_numpy(scratch):
    """Returns a directory that contains only Debian's numpy; None if it is not installed."""
    if not (DEBIAN_PACKAGES / "numpy").is_dir():
        return None
    folder = scratch / "debian_numpy"
    folder.mkdir(exist_ok=True)
    link = folder / "numpy"
    if not link.exists():
        link.symlink_to(DEBIAN_PACKAGES / "numpy")
    return folder


def with_packages(folder, command):
    """Returns `command` with the packages in `folder` before all others."""
    return ["env", f"PYTHONPATH={folder}", *command]


def add_older_numpy(benchmark, contest, arguments):
    """Returns tensorboardX with the numpy of Debian 12, which does not sort with AVX-512."""
    folder = debian_numpy(benchmark.scratch)
    if folder is not None:
        command = benchmark.peer("tensorboardX", *arguments)
        contest.add(OLDER_NUMPY, with_packages(folder, command), "Debian's numpy 1.24")


OLDER_NUMPY = "tensorboardX, numpy 1.24"


class PythonContests:
    def __init__(self, benchmark):
        self.benchmark = benchmark
        self.packages = install()

    def ours(self, *arguments):
        return with_packages(self.packages, self.benchmark.peer("ours", *arguments))

    def contest(self, name, arguments, own_count, peer_count):
        """Runs our package and both peers on the same work; the last argument is the number of
        repetitions.
        """
        contest = Contest(f"Python {name}", "call", self.benchmark.rounds)
        contest.add("ours", self.ours(*arguments, self.benchmark.count(own_count)))
        for peer in PEERS:
            command = self.benchmark.peer(peer, *arguments, self.benchmark.count(peer_count))
            contest.add(peer, command)
        return contest

    def judge(self, text, contest, wanted, peer="tensorboardX"):
        self.benchmark.verdicts.append(bars.at_least(text, contest.factor(peer), wanted))

    def scalars(self):
        events = ["--logdir", LOGDIR, "--events"]
        plain = self.contest("add_scalar", ["scalars", *events], 2_000_000, 20_000)
        keywords = ["scalars", "--keywords", *events]
        keywords = self.contest("add_scalar, by keyword", keywords, 2_000_000, 20_000)
        caller = self.contest("add_scalar, caller alone", ["caller", *events], 2_000_000, 20_000)
        batch = self.contest("scalar of a batch", ["batch", *events], 4_000_000, 20_000)
        for contest in (plain, keywords, caller, batch):
            self.benchmark.run(contest)
        self.judge("Python add_scalar: 500x tensorboardX, end to end", plain, 500)
        self.judge("Python add_scalar: the goal of 1,000x", plain, 1000)
        self.judge("Python scalars of a batch: 1,000x tensorboardX", batch, 1000)
        best = plain.best("ours"), keywords.best("ours")
        if all(best):
            text = "Python add_scalar: keywords cost no multiple"
            self.benchmark.verdicts.append(bars.at_most_times(text, best[1].cpu / best[0].cpu, 1.5))

    def histograms(self, size, own_count, peer_count):
        data = inputs.weights(self.benchmark.scratch / f"python_weights_{size}.f32", size)
        arguments = ["histogram", "--logdir", LOGDIR, "--data", data, "--count"]
        contest = self.contest(f"add_histogram, {size:,}", arguments, own_count, peer_count)
        add_older_numpy(self.benchmark, contest, [*arguments, self.benchmark.count(peer_count)])
        logs = self.benchmark.run(contest)
        self.judge(f"Python histograms of {size:,}: 75x tensorboardX", contest, 75)
        if OLDER_NUMPY in contest.contestants:
            text = f"Python histograms of {size:,}: 75x tensorboardX on numpy 1.24"
            self.judge(text, contest, 75, OLDER_NUMPY)
        self.benchmark.verdicts.append(
            bars.correct(
                f"Python histograms of {size:,}: the counts of numpy.histogram, bucket by bucket",
                verify.histogram_is_numpys(logs / "ours", data),
            )
        )

    def images(self):
        data = inputs.smooth_image(self.benchmark.scratch / "python_smooth.u8")
        arguments = ["image", "--logdir", LOGDIR, "--data", data, "--side", inputs.SIDE, "--count"]
        contest = self.contest("add_image 256x256x3, smooth", arguments, 400, 40)
        self.benchmark.run(contest)
        self.judge("Python images, smooth: 20x tensorboardX", contest, 20)

    def imports(self):
        """Measures the package itself, in a new interpreter each time."""
        contest = Contest("Python import of the package", "import", 2 * self.benchmark.rounds)

        def importing(statement):
            return [sys.executable, "-c", statement]

        ours = with_packages(self.packages, importing("import compression_board"))
        contest.add("ours", ours, pieces=1)
        contest.add("tensorboardX", importing("import tensorboardX"), pieces=1)
        contest.add("torch", importing("import torch.utils.tensorboard"), pieces=1)
        contest.add("limit", importing("import numpy"), "numpy alone", pieces=1)
        self.benchmark.run(contest)
        self.judge("Python import: no slower than tensorboardX", contest, 1)

    def run(self):
        self.scalars()
        self.histograms(10_000, 4000, 400)
        self.histograms(1_000_000, 200, 20)
        self.images()
        self.imports()
