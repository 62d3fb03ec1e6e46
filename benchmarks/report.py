"""Writes the tables of a run as Markdown that is readable in a terminal, too."""

import datetime
import importlib.metadata
import os
import pathlib
import platform
import subprocess

UNITS = ((1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1, 1e3, "ms"), (float("inf"), 1, "s"))


def duration(seconds):
    for below, factor, unit in UNITS:
        if seconds < below:
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 100 else (
                f"{seconds * factor:.0f} {unit}")
    return "-"


def times(factor):
    if factor is None:
        return "-"
    return f"{factor:,.0f}x" if factor >= 100 else f"{factor:.3g}x"


def table(header, rows):
    cells = [list(map(str, header))] + [list(map(str, row)) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]

    def line(row):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(cells[0]), rule, *map(line, cells[1:])])


def contest_rows(contest):
    ours = contest.best("ours")
    for name, contestant in contest.contestants.items():
        best, median = contest.best(name), contest.median(name)
        if best is None:
            yield contest.name, name, "left out: " + (contestant.failure or "?"), "", "", "", "", ""
            continue
        label = f"{name} ({contestant.note})" if contestant.note else name
        yield (
            contest.name,
            label,
            duration(best.cpu),
            duration(median.cpu),
            duration(best.wall),
            duration(median.wall),
            times(best.cpu / ours.cpu) if ours else "-",
            times(best.wall / ours.wall) if ours else "-",
        )


CONTEST_HEADER = (
    "per", "who", "CPU best", "CPU median", "wall best", "wall median", "CPU / ours", "wall / ours"
)


def contest_table(contests):
    return table(CONTEST_HEADER, [row for contest in contests for row in contest_rows(contest)])


def growth_table(contests):
    """Returns one contest per size, smallest first."""
    rows = []
    first = None
    for contest in contests:
        best = min(contest.contestants["ours"].rounds, key=lambda r: r.cpu_seconds)
        rss = min(r.peak_rss_bytes for r in contest.contestants["ours"].rounds)
        values = (best.count, best.cpu_seconds, best.wall_seconds, rss, best.bytes)
        first = first or values
        ratios = [value / base for value, base in zip(values, first)]
        rows.append(
            (
                f"{best.count:,} ({ratios[0]:g}x)",
                f"{duration(values[1])} ({ratios[1]:.2f}x)",
                f"{duration(values[2])} ({ratios[2]:.2f}x)",
                f"{values[3] / 1e6:.1f} MB ({ratios[3]:.2f}x)",
                f"{values[4] / 1e6:.1f} MB ({ratios[4]:.2f}x)",
            )
        )
    return table(("events", "CPU", "wall", "peak memory", "file"), rows)


def verdict_table(verdicts):
    return table(("bar", "verdict"), [(verdict.bar, verdict) for verdict in verdicts])


def _first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "unknown"


def _processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def circumstances(command, load_before, rounds):
    from google.protobuf.internal import api_implementation

    packages = ("tensorboardX", "tensorboard", "protobuf", "numpy", "pillow")
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    torch = _first_line("dpkg-query", "-W", "-f", "${Version}", "python3-torch")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return "\n".join(
        [
            f"- date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
            f"- command: `{command}`",
            f"- machine: {_processor()}, {os.cpu_count()} processors, {memory:.0f} GB, "
            f"Linux {platform.release()}",
            f"- load before and after: {load_before:.1f}, {os.getloadavg()[0]:.1f}",
            f"- compiler: {_first_line('g++', '--version')}",
            f"- peers: Python {platform.python_version()}, {versions} "
            f"({api_implementation.Type()}), PyTorch {torch} (Debian)",
            f"- {rounds} rounds, in turns",
        ]
    )
