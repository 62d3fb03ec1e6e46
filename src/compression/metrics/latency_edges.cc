#include "cboard/compression/latency_edges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cboard::compression {

std::vector<double> LatencyEdges(std::vector<double> samples) {
  constexpr std::size_t kFineBins = 200;
  constexpr double kGrowth = 1.1;
  std::ranges::sort(samples);
  const double first = samples.front(), last = samples.back();
  double usual = samples[(samples.size() - 1) * 99 / 100];
  if (!(usual > first)) usual = last > first ? last : first + std::max(std::abs(first), 1e-9) / 100;
  std::vector<double> edges;
  for (std::size_t i = 0; i <= kFineBins; ++i) {
    edges.push_back(first + (usual - first) * static_cast<double>(i) / kFineBins);
  }
  edges.back() = usual;
  // The last bin includes samples at its upper edge.
  for (double width = (usual - first) / kFineBins; edges.back() < last; width *= kGrowth) {
    edges.push_back(edges.back() + width);
  }
  return edges;
}

}  // namespace cboard::compression
