// Bins of equal width between the smallest and the largest value, the way numpy makes and fills
// them.
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

// More bins than this are refused: they would tell nothing and fill the memory.
inline constexpr std::size_t kMaxEqualBins = std::size_t{1} << 24;

// The range that numpy divides into bins: a single value gets 0.5 on either side.
ValueRange BinRangeOf(double min, double max);

// `count` + 1 edges. Fails with kInvalidArgument when there is no bin or more than kMaxEqualBins,
// or when doubles are too coarse for so many different edges.
Result<std::vector<double>> MakeEqualBins(ValueRange range, std::size_t count);

// Counts values into the bins between edges from MakeEqualBins. All values are within the range.
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
