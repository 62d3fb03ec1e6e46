// Bins of equal width between the smallest and the largest value; edges and counts equal
// numpy's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::tensor {

struct ValueRange {
  double first = 0;
  double last = 0;
};

// Maximum number of bins; more would be useless and fill the memory.
inline constexpr std::size_t kMaxEqualBins = std::size_t{1} << 24;

// Returns the range that numpy divides into bins: the min and max, or 0.5 to each side if they are
// equal.
ValueRange BinRangeOf(double min, double max);

// Returns `count` + 1 edges. Fails with kInvalidArgument for no bins or more than kMaxEqualBins, or
// if doubles cannot represent so many different edges.
Result<std::vector<double>> MakeEqualBins(ValueRange range, std::size_t count);

// Counts values in bins from MakeEqualBins. All values must be inside the range.
class EqualBinCounter {
 public:
  // Borrows `edges`.
  explicit EqualBinCounter(std::span<const double> edges);

  template <typename Real>
  void Add(std::span<const Real> values);

  const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  std::span<const double> edges_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace cboard::tensor
