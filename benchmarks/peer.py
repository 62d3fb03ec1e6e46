"""Logs with a Python package, and prints the cost, like bench_writer for C++.

    peer.py tensorboardX scalars   --logdir D --events N [--threads N] [--no-clock] [--keywords]
    peer.py tensorboardX caller    --logdir D --events N
    peer.py ours         batch     --logdir D --events N
    peer.py torch        histogram --logdir D --count N --data values.f32
    peer.py torch        image     --logdir D --count N --data pixels.u8 --side N
    peer.py tensorboardX import    --logdir D --json results.json

`ours` is compression_board. Imports and data are ready before the clock starts; it stops when the
writer is closed, except for `caller`: that is the thread that logs alone, until its last call.
"""

import argparse
import json
import os
import resource
import threading
import time

import numpy


def tensorboardx_writer():
    import tensorboardX

    return tensorboardX.SummaryWriter


def torch_writer():
    import torch.utils.tensorboard
    from torch.utils.tensorboard import summary

    class NumpyOfItsTime:
        """Restores the old behaviour of numpy.greater: the histogram of Debian's PyTorch calls it
        with integers, which numpy has refused since 1.24. The cost is the same as before."""

        def __getattr__(self, name):
            return getattr(numpy, name)

        @staticmethod
        def greater(left, right, dtype):
            return numpy.greater(left, right).astype(dtype)

    summary.np = NumpyOfItsTime()
    return torch.utils.tensorboard.SummaryWriter


def our_writer():
    import compression_board

    return compression_board.SummaryWriter


WRITERS = {"ours": our_writer, "tensorboardX": tensorboardx_writer, "torch": torch_writer}


def log_scalars(writer, events, flags):
    walltime = 1.7e9 if flags.no_clock else None
    if flags.keywords:
        for step in range(1, events + 1):
            writer.add_scalar(tag="train/loss", scalar_value=1.0 / step, global_step=step)
    else:
        for step in range(1, events + 1):
            writer.add_scalar("train/loss", 1.0 / step, step, walltime)


def scalars(make_writer, flags):
    def work():
        writer = make_writer(flags.logdir)
        arguments = (writer, flags.events // flags.threads, flags)
        others = [
            threading.Thread(target=log_scalars, args=arguments) for _ in range(flags.threads - 1)
        ]
        for other in others:
            other.start()
        log_scalars(*arguments)
        for other in others:
            other.join()
        writer.close()
        return flags.events // flags.threads * flags.threads

    return work


def caller(make_writer, flags):
    def work():
        writer = make_writer(flags.logdir)
        # Warms up: afterwards the tag, the memory pages and the code are no longer new.
        log_scalars(writer, 1000, flags)
        cpu_start, wall_start = time.thread_time(), time.perf_counter()
        log_scalars(writer, flags.events, flags)
        cost = time.perf_counter() - wall_start, time.thread_time() - cpu_start
        writer.close()
        return flags.events, *cost

    return work


def batch(make_writer, flags):
    steps = numpy.arange(1, flags.events + 1)
    values = 1.0 / steps

    def work():
        writer = make_writer(flags.logdir)
        if hasattr(writer, "add_scalar_batch"):
            writer.add_scalar_batch("train/loss", values, steps)
        else:
            for value, step in zip(values.tolist(), steps.tolist()):
                writer.add_scalar("train/loss", value, step)
        writer.close()
        return flags.events

    return work


def histogram(make_writer, flags):
    values = numpy.fromfile(flags.data, dtype=numpy.float32)

    def work():
        writer = make_writer(flags.logdir)
        for step in range(flags.count):
            writer.add_histogram("weights", values, step, bins="tensorflow")
        writer.close()
        return flags.count

    return work


def image(make_writer, flags):
    pixels = numpy.fromfile(flags.data, dtype=numpy.uint8).reshape(3, flags.side, flags.side)

    def work():
        writer = make_writer(flags.logdir)
        for step in range(flags.count):
            writer.add_image("image", pixels, step)
        writer.close()
        return flags.count

    return work


def import_models(make_writer, flags):
    import import_peer

    return lambda: import_peer.convert(make_writer, flags.json, flags.logdir)


WORKS = {
    "scalars": scalars,
    "caller": caller,
    "batch": batch,
    "histogram": histogram,
    "image": image,
    "import": import_models,
}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def bytes_below(directory):
    return sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(directory)
        for name in names
    )


def peak_rss_bytes():
    """Reads /proc instead of getrusage, which would include the memory of the parent process."""
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("peer", choices=WRITERS)
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("--logdir", required=True)
    parser.add_argument("--events", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-clock", action="store_true")
    parser.add_argument("--keywords", action="store_true")
    parser.add_argument("--count", type=int)
    parser.add_argument("--data")
    parser.add_argument("--side", type=int)
    parser.add_argument("--json")
    flags = parser.parse_args()

    work = WORKS[flags.work](WRITERS[flags.peer](), flags)
    # Waits until the threads that numpy starts at import sleep: they spin for a moment, and their
    # time would be counted.
    time.sleep(0.25)
    cpu_start, wall_start = cpu_seconds(), time.perf_counter()
    count = work()
    wall, cpu = time.perf_counter() - wall_start, cpu_seconds() - cpu_start
    if isinstance(count, tuple):  # The function measured a part of the time itself.
        count, wall, cpu = count
    print(
        json.dumps(
            {
                "count": count,
                "bytes": bytes_below(flags.logdir),
                "wall_seconds": wall,
                "cpu_seconds": cpu,
                "peak_rss_bytes": peak_rss_bytes(),
            }
        )
    )


if __name__ == "__main__":
    main()
