"""Loads a log directory with TensorBoard's Python reader and prints the cost as JSON.

    python benchmarks/reader_peer.py LOGDIR

Every point is kept, as in our reader.
"""

import json
import resource
import sys
import time

from tensorboard.backend.event_processing import plugin_event_multiplexer

EVERYTHING = {kind: 0 for kind in ("scalars", "histograms", "images", "tensors", "audio")}


def main():
    start = time.perf_counter()
    multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance=EVERYTHING)
    multiplexer.AddRunsFromDirectory(sys.argv[1])
    multiplexer.Reload()
    wall = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "wall_seconds": wall,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_rss_bytes": usage.ru_maxrss * 1024,
        "runs": len(multiplexer.Runs()),
    }))


if __name__ == "__main__":
    main()
