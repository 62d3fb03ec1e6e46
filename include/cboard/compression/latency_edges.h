// Bins for histograms of latencies.
#pragma once

#include <vector>

namespace cboard::compression {

// Latencies lie close together but for a few that are many times as long, so that bins which suit
// all of them show one bar. These are equal and fine for 99 % of the samples, and grow by a tenth
// each beyond. Ascending, from the shortest to at least the longest sample, of which there is one
// or more, all finite.
std::vector<double> LatencyEdges(std::vector<double> samples);

}  // namespace cboard::compression
