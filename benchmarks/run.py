"""Measures our writers, C++ and Python, beside tensorboardX, PyTorch's and the machine's limits.

Then the reader and the server beside TensorBoard: reader_run.py, server_bench.py.

    make bench                                     everything; writes benchmarks/RESULTS.md
    make bench BENCH_FLAGS=--full                  also the reader and the server in full size
    build/venv/bin/python benchmarks/run.py --quick --only scalars

All in one run on one machine. Times are of the processor (all threads) and of the clock on the
wall, from opening the writer until it is closed. The factors that count are of processor time,
since machines are shared; only producers are compared by wall time, as they share the work.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import bars
import inputs
import report
import verify
from contest import LOGDIR, Contest
from model_contests import ModelContests
from python_contests import OLDER_NUMPY, PythonContests, add_older_numpy

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ("tensorboardX", "torch")


class Benchmark:
    def __init__(self, flags, scratch):
        self.programs = pathlib.Path(flags.bin)
        self.scratch = scratch
        self.rounds = flags.rounds
        self.small = 20 if flags.quick else 1  # Divisor of all counts.
        self.contests = []
        self.growth = []
        self.verdicts = []

    def count(self, usual):
        return max(usual // self.small, 2)

    def ours(self, *arguments):
        return [self.programs / "bench_writer", *arguments]

    def limit(self, *arguments):
        return [self.programs / "bench_limit", *arguments]

    def peer(self, *arguments):
        return [sys.executable, "-B", HERE / "peer.py", *arguments]

    def run(self, contest):
        print(f"… {contest.name}", file=sys.stderr, flush=True)
        directory = self.scratch / contest.name.replace(" ", "_").replace("/", "_")
        directory.mkdir()
        contest.run(directory)
        self.contests.append(contest)
        return directory

    def scalars(self, with_clock):
        contest = Contest(
            "scalar" if with_clock else "scalar, wall time given", "event", self.rounds
        )
        clock = [] if with_clock else ["--no-clock"]
        own = ["--events", self.count(4_000_000), *clock]
        contest.add("ours", self.ours("scalars", "--logdir", LOGDIR, *own))
        for peer in PEERS:
            contest.add(
                peer,
                self.peer(
                    peer, "scalars", "--logdir", LOGDIR, "--events", self.count(20_000), *clock
                ),
            )
        contest.add(
            "limit",
            self.limit("scalars", "--file", LOGDIR, *own),
            "clock, copy, write()" if with_clock else "copy, write()",
        )
        self.run(contest)
        if with_clock:
            self.verdicts += [
                bars.at_least(
                    "scalars: 1,000x tensorboardX per event", contest.factor("tensorboardX"), 1000
                ),
                bars.at_most_ns(
                    "scalars: within 2x of 70 ns, with clock and page cache",
                    contest.best("ours") and contest.best("ours").cpu,
                    140,
                ),
            ]

    def producers(self):
        contest = Contest("scalar, producers on one file", "event", self.rounds)
        for threads in (1, 2, 4):
            arguments = ["--logdir", LOGDIR, "--events", self.count(8_000_000)]
            contest.add(
                "ours" if threads == 1 else f"ours, {threads} producers",
                self.ours("scalars", *arguments, "--threads", threads),
            )
        arguments = ["--logdir", LOGDIR, "--events", self.count(20_000), "--threads", 2]
        contest.add("tensorboardX, 2 producers", self.peer("tensorboardX", "scalars", *arguments))
        self.run(contest)
        one, two = contest.best("ours"), contest.best("ours, 2 producers")
        self.verdicts.append(
            bars.more_than(
                "scalars: two producers on one file log more events/s than one",
                one and two and one.wall / two.wall,
            )
        )

    def histograms(self, size, own_count, peer_count, wanted):
        data = inputs.weights(self.scratch / f"weights_{size}.f32", size)
        contest = Contest(f"histogram of {size:,} float32", "histogram", self.rounds)
        arguments = ["histogram", "--logdir", LOGDIR, "--data", data, "--count"]
        contest.add("ours", self.ours(*arguments, self.count(own_count)))
        for peer in PEERS:
            contest.add(peer, self.peer(peer, *arguments, self.count(peer_count)))
        add_older_numpy(self, contest, [*arguments, self.count(peer_count)])
        contest.add(
            "limit",
            self.limit("read", "--data", data, "--count", self.count(own_count)),
            "reading the values",
        )
        logs = self.run(contest)
        if wanted:
            self.verdicts.append(
                bars.at_least(
                    f"histograms of {size:,}: {wanted}x tensorboardX",
                    contest.factor("tensorboardX"),
                    wanted,
                )
            )
            if OLDER_NUMPY in contest.contestants:
                text = f"histograms of {size:,}: {wanted}x tensorboardX on numpy 1.24"
                self.verdicts.append(bars.at_least(text, contest.factor(OLDER_NUMPY), wanted))
        self.verdicts.append(
            bars.correct(
                f"histograms of {size:,}: the counts of numpy.histogram, bucket by bucket",
                verify.histogram_is_numpys(logs / "ours", data),
            )
        )

    def images(self, kind, make, wanted):
        data = make(self.scratch / f"{kind}.u8")
        contest = Contest(f"image 256x256x3, {kind}", "image", self.rounds)
        arguments = ["image", "--logdir", LOGDIR, "--data", data, "--side", inputs.SIDE, "--count"]
        contest.add("ours", self.ours(*arguments, self.count(1000)))
        for peer in PEERS:
            contest.add(peer, self.peer(peer, *arguments, self.count(40)))
        bare = ["--data", data, "--count"]
        contest.add(
            "limit",
            self.limit("store", "--file", LOGDIR, *bare, self.count(1000)),
            "copy, checksums, write()",
        )
        for level in (1, 6):  # Pillow, which our peers use, compresses with zlib level 6.
            contest.add(
                f"libdeflate, level {level}",
                self.limit("deflate", *bare, self.count(100), "--level", level),
            )
        self.run(contest)
        self.verdicts.append(
            bars.at_least(
                f"images, {kind}: {wanted}x tensorboardX", contest.factor("tensorboardX"), wanted
            )
        )

    def imports(self):
        own_count, peer_count = self.count(10_000), self.count(500)
        own_json = inputs.benchmark_json(self.scratch / "own.json", own_count)
        peer_json = inputs.benchmark_json(self.scratch / "peer.json", peer_count)
        rounds = min(self.rounds, 2)  # A round creates 80,000 files.
        contest = Contest("import of a model", "model", rounds)
        contest.add(
            "ours",
            [self.programs / "compression-board", "import", own_json, "--logdir", LOGDIR],
            f"{own_count:,} models",
            pieces=own_count,
        )
        contest.add(
            "tensorboardX",
            self.peer("tensorboardX", "import", "--logdir", LOGDIR, "--json", peer_json),
            f"{peer_count:,} models",
        )
        sizes = ["--count", peer_count, "--per", 8, "--bytes", 900]
        contest.add(
            "limit", self.limit("files", "--logdir", LOGDIR, *sizes), "8 directories with a file"
        )
        logs = self.run(contest)
        models = [f"model_{number:05}" for number in range(0, peer_count, max(peer_count // 10, 1))]
        missing = verify.missing_scalars(logs / "ours", logs / "tensorboardX", models)
        self.verdicts.append(
            bars.correct(
                "import: every scalar that the Python converter writes, with its value",
                f"{len(missing)} differ, such as {missing[0]}" if missing else None,
            )
        )

    def growth_in_size(self):
        sizes = [self.count(events) for events in (1_000_000, 4_000_000, 16_000_000)]
        contests = []
        for events in sizes:
            contest = Contest(f"{events:,} scalars", "event", min(self.rounds, 3))
            contest.add("ours", self.ours("scalars", "--logdir", LOGDIR, "--events", events))
            contests.append(contest)
        for _ in range(contests[0].round_count):  # Runs these in turns, too.
            for contest in contests:
                contest.run_round(self.scratch)
        self.growth = contests
        rounds = [contest.contestants["ours"].rounds for contest in contests]
        factor = sizes[-1] / sizes[0]

        def ratio(measure):
            return min(map(measure, rounds[-1])) / min(map(measure, rounds[0]))

        self.verdicts += [
            bars.growth("growth: time", ratio(lambda r: r.cpu_seconds), factor),
            bars.growth("growth: file size", ratio(lambda r: r.bytes), factor),
            bars.growth("growth: peak memory", ratio(lambda r: r.peak_rss_bytes), factor),
        ]


def parts(benchmark):
    """The choices of --only."""
    return {
        "scalars": lambda: (benchmark.scalars(True), benchmark.scalars(False)),
        "producers": benchmark.producers,
        "histograms": lambda: (
            benchmark.histograms(10_000, 4000, 400, None),
            benchmark.histograms(1_000_000, 200, 20, 75),
        ),
        "images": lambda: (
            benchmark.images("noise", inputs.noise_image, 20),
            benchmark.images("smooth", inputs.smooth_image, 20),
        ),
        "import": benchmark.imports,
        "growth": benchmark.growth_in_size,
        "models": lambda: ModelContests(benchmark).run(),
        "python": lambda: PythonContests(benchmark).run(),
    }


# Separate programs with separate results.
OTHERS = {"reader": "reader_run.py", "server": "server_bench.py"}


def run_other(name, full):
    """Writes full-size results to benchmarks/, other results beside the programs, so that the
    full-size ones stay.
    """
    output = (HERE if full else HERE.parent / "build") / f"RESULTS-{name}.md"
    size = ["--full"] if full else ["--rounds", "2"]
    print(f"… {name}, results in {output}", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-B", HERE / OTHERS[name], *size, "--out", output], check=True)


INTRODUCTION = """# Results

What `make bench` measured last. A row is what one piece of work costs, end to end until the writer
is closed; *best* and *median* are over the rounds. *CPU* is the processor time of all threads,
*wall* the time that passed. The last columns say how many times more than ours it is. *limit* is
the bare work in a loop of its own (`bench_limit.cc`), without encoding, checking or threads.
"""

NOTES = """## Notes

- Histograms are of N(0, 0.05) in TensorBoard's 1,548 buckets. PyTorch's runs with the
  `numpy.greater` it was written for; `peer.py` says why.
- Our encoder stores noise instead of compressing it; *smooth* is compressed by all.
- The Python converter (`import_peer.py`) writes one run per model with tensorboardX. A model costs
  the same however many there are, so it gets fewer; the table is per model.
- The bars of 1,000x and 75x come from tensorboardX on protobuf 4.21 and numpy 1.24, which took
  156 us per scalar and 85 ms per million values on an AMD EPYC without AVX-512. Today's protobuf
  needs a third of that, and numpy 2 sorts with AVX-512 where there is any.
- *tensorboardX, numpy 1.24* is the same program on Debian's numpy, which sorts float64 without
  AVX-512.
- *TensorBoard's buckets* are counts alone, of values in memory. The bar of 70x was found where
  numpy.histogram took 77 ns a value; it still does where it sorts without AVX-512, and a tenth of
  that with it, which for float64 is numpy 2 and for float32 numpy 1.24, too. TensorBoard's writers
  convert to float64 first, which is not in the figure. Reading a value takes 0.27 ns: against a
  numpy that needs 4 to 8 ns nothing can be 70 times as fast.
- Python rows have the same loop around every package, and it is part of the figure: about 26 ns of
  an `add_scalar` of ours. *caller alone* is the thread that logs, until its last call; peers leave
  most of their work to another thread, which end to end is counted. *of a batch* is one
  `add_scalar_batch` of ours, and a loop over the same arrays for peers, who have no such call.
- An `add_scalar` of ours takes 89 to 107 ns: 26 of the loop, 15 of reading the processor's clock on
  this virtual machine, 12 of write(), and the rest of the call, the encoding and the checksum.
  tensorboardX took 72 us on a quiet machine and 40 to 49 us on a busy one, perhaps because its two
  threads then seldom run at once. So the factor moves with the load: 689x quiet, 444x busy.
- Of weights, all sums and extremes of both sides are taken, by one thread, of arrays in large pages,
  as numpy asks for them; *small pages* are those of a mapped file. *threads* gives the processors a
  million weights at a time, as `compare` gives them layers, and its wall time is what counts.
  Everybody works for about a second: what a first pass takes, *once*, depends on what loading, or
  numpy before it, has left in the caches.
- numpy does the same by one thread, after a first time that is not counted: memory that a virtual
  machine has not used before comes two or three times as slowly. The bar of 35x was found where
  numpy 1.24 took 10.6 ns a weight; how it was written is not known. *In float32* is how people
  write it, with a cosine that is off in the sixth digit; *summed in float64* it is right to 1e-9,
  and *with einsum* it is the quickest that we know of through whole arrays. *In blocks* is written
  by hand so that everything stays in the cache. Where reading (*limit*) takes more than a 35th of
  numpy's time, nothing can be 35 times as fast.
- *channels of N* has all sums for every channel of N weights, too. The files of 1 GB are real
  bytes, in the page cache; each round lists them anew.
- With the clock, the bare work of a scalar (*limit*) alone decides how far a factor can go.
"""


def report_writers(flags, benchmark, load_before):
    """Prints what `benchmark` has run, and keeps it after a complete run."""
    command = "make bench" if len(sys.argv) == 1 else " ".join(["run.py", *sys.argv[1:]])
    sections = [
        INTRODUCTION,
        report.circumstances(command, load_before, flags.rounds),
        "\n## Verdicts\n\n" + report.verdict_table(benchmark.verdicts),
        "\n## Costs\n\n" + report.contest_table(benchmark.contests),
    ]
    if benchmark.growth:
        sections.append("\n## Growth\n\n" + report.growth_table(benchmark.growth))
    sections.append("\n" + NOTES)
    text = "\n".join(sections)
    print(text)
    complete = not flags.quick and not flags.only
    output = flags.output or (HERE / "RESULTS.md" if complete else None)
    if output:
        pathlib.Path(output).write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default=HERE.parent / "build/release/bin", help="our programs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the work, to try it")
    parser.add_argument("--full", action="store_true", help="reader and server in the sizes of their goals")
    parser.add_argument("--only", help="parts, separated by commas")
    parser.add_argument("--output", help="a file for the results (RESULTS.md after a full run)")
    flags = parser.parse_args()
    load_before = os.getloadavg()[0]

    with tempfile.TemporaryDirectory(prefix="cboard bench ") as scratch:
        benchmark = Benchmark(flags, pathlib.Path(scratch))
        writers = parts(benchmark)
        chosen = flags.only.split(",") if flags.only else [*writers, *OTHERS]
        for name in chosen:
            if name not in writers and name not in OTHERS:
                parser.error(f"--only knows {', '.join([*writers, *OTHERS])}, not {name}")
        for name in chosen:
            if name in writers:
                writers[name]()
    if any(name in writers for name in chosen):
        report_writers(flags, benchmark, load_before)
    for name in chosen:
        if name in OTHERS and not flags.quick:
            run_other(name, flags.full)


if __name__ == "__main__":
    main()
