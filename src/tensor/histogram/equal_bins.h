// Bins of equal width between the smallest and the largest value. Edges and counts equal those of
// numpy.
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

// Maximum number of bins. More bins would be useless and take too much memory.
inline constexpr std::size_t kMaxEqualBins = std::size_t{1} << 24;

// Returns the range that numpy divides into bins: from min to max. If both are equal, the range is
// 0.5 below to 0.5 above them.
ValueRange BinRangeOf(double min, double max);

// Returns `count` + 1 edges. Fails with kInvalidArgument if `count` is 0 or above kMaxEqualBins, or
// if doubles cannot represent so many different edges.
Result<std::vector<double>> MakeEqualBins(ValueRange range, std::size_t count);

// Counts values in bins from MakeEqualBins. All values must be inside the range of the bins.
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
