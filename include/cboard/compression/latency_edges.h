// Computes bin edges for histograms of latencies.
#pragma once

#include <vector>

namespace cboard::compression {

// Returns bin edges for latency samples. A few samples are usually many times as long as the
// others, so equal bins over the whole range would show one bar. Therefore 99 % of the samples get
// narrow bins of equal width. Above them, each bin is wider by a tenth than the bin before it. The
// edges ascend from the shortest sample to at least the longest. `samples` must be finite and not
// empty.
std::vector<double> LatencyEdges(std::vector<double> samples);

}  // namespace cboard::compression
