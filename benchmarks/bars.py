"""Performance targets, and whether a run met them."""

import dataclasses


@dataclasses.dataclass
class Verdict:
    bar: str
    measured: str
    met: bool

    def __str__(self):
        return ("met" if self.met else "not met") + f": {self.measured}"


def at_least(bar, factor, wanted):
    if factor is None:
        return Verdict(bar, "not measured", False)
    measured = f"{factor:,.3g}x" if factor < 1000 else f"{factor:,.0f}x"
    return Verdict(bar, measured if factor >= wanted else f"{measured} instead of {wanted:,}x",
                   factor >= wanted)


def more_than(bar, factor):
    if factor is None:
        return Verdict(bar, "not measured", False)
    return Verdict(bar, f"{factor:.2f}x", factor > 1.05)  # A smaller difference is noise.


def at_most_ns(bar, seconds, limit_ns):
    if seconds is None:
        return Verdict(bar, "not measured", False)
    nanoseconds = seconds * 1e9
    measured = f"{nanoseconds:.0f} ns"
    met = nanoseconds <= limit_ns
    return Verdict(bar, measured if met else f"{measured} instead of {limit_ns} ns", met)


def at_most_times(bar, factor, limit):
    measured = f"{factor:.2f}x"
    met = factor <= limit
    return Verdict(bar, measured if met else f"{measured} instead of {limit:g}x", met)


def growth(bar, ratio, wanted):
    """Checks growth: `ratio` is how many times more the work costs, `wanted` how many times more
    work there is.
    """
    met = ratio <= wanted * 1.25  # Allows for noise, and for steps that need one byte more.
    return Verdict(bar, f"{ratio:.2f}x for {wanted:g}x the events", met)


def correct(bar, difference):
    return Verdict(bar, difference or "identical", difference is None)
