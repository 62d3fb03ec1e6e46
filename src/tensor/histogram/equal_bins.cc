#include "tensor/histogram/equal_bins.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "cboard/base/strings.h"

namespace cboard::tensor {

ValueRange BinRangeOf(double min, double max) {
  if (min == max) return {min - 0.5, max + 0.5};
  return {min, max};
}

Result<std::vector<double>> MakeEqualBins(ValueRange range, std::size_t count) {
  if (count == 0 || count > kMaxEqualBins) {
    return Fail(ErrorCode::kInvalidArgument, "histogram: " + std::to_string(count) +
                                                 " bins were requested, but only 1 to " +
                                                 std::to_string(kMaxEqualBins) + " are possible");
  }
  // Computes the edges like numpy.linspace, with the same rounding.
  const double width = range.last - range.first;
  const double step = width / static_cast<double>(count);
  std::vector<double> edges(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    edges[i] = static_cast<double>(i) * step + range.first;
  }
  edges.back() = range.last;
  if (!std::isfinite(width) ||
      std::ranges::adjacent_find(edges, std::greater_equal<>()) != edges.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                "histogram: values from " + ShortestDecimal(range.first) + " to " +
                    ShortestDecimal(range.last) + " are too close together for " +
                    std::to_string(count) + " bins in float64; give fewer bins");
  }
  return edges;
}

EqualBinCounter::EqualBinCounter(std::span<const double> edges)
    : edges_(edges), counts_(edges.size() - 1) {}

template <typename Real>
void EqualBinCounter::Add(std::span<const Real> values) {
  const double first = edges_.front();
  const double width = edges_.back() - first;
  const auto bins = static_cast<double>(counts_.size());
  for (const Real real : values) {
    const auto value = static_cast<double>(real);
    auto bin = static_cast<std::size_t>((value - first) / width * bins);
    bin = std::min(bin, counts_.size() - 1);
    // The quotient may have a rounding error, so the value is compared with the edges of the bin.
    if (value < edges_[bin]) {
      --bin;
    } else if (value >= edges_[bin + 1] && bin + 1 != counts_.size()) {
      ++bin;
    }
    ++counts_[bin];
  }
}

template void EqualBinCounter::Add(std::span<const float>);
template void EqualBinCounter::Add(std::span<const double>);

}  // namespace cboard::tensor
