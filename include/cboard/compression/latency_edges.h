// Computes bin edges for histograms of latencies.
#pragma once

#include <vector>

namespace cboard::compression {

// Returns bin edges for samples of which a few are many times as long as the others; equal bins
// over the whole range would show one bar. The bins are equal and narrow for 99 % of the samples;
// above that, each is wider than the one before by a tenth. The edges ascend from the shortest
// sample to at least the longest. `samples` must be finite and not empty.
std::vector<double> LatencyEdges(std::vector<double> samples);

}  // namespace cboard::compression
