#include "cboard/tensor/bin_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cboard/tensor/convert.h"
#include "tensor/element_reader.h"
#include "tensor/histogram/byte_counts.h"
#include "tensor/kernels/grid_kernels.h"

namespace cboard::tensor {
namespace {

// Counts values in bins. Neighbouring values are often equal, and increments of the same counter
// would wait for each other. Each counter therefore exists several times, once per lane. For a few
// values there is only one lane, because clearing and adding the lanes would cost more than
// counting the values.
class GridCounter {
 public:
  GridCounter(const BinGrid& grid, std::size_t bins, std::size_t expected_count)
      : places_{.width = grid.width(),
                .inverse_width = std::ldexp(1.0, -grid.exponent),
                .below = static_cast<double>(grid.first - 1),
                .end = static_cast<double>(grid.first) + static_cast<double>(bins)},
        lane_size_(bins + GridPlaces::kOutside),
        last_lane_(expected_count < kMaxUnbinnedValues ? 0 : kMaxLanes - 1),
        counts_((last_lane_ + 1) * lane_size_),
        sums_(lane_size_) {}

  template <typename Real>
  void Add(std::span<const Real> values) {
    std::array<std::uint32_t, kStep> places;
    for (; !values.empty(); values = values.subspan(std::min(values.size(), kStep))) {
      const auto some = values.first(std::min(values.size(), kStep));
      if (pending_ > kMaxPending) Collect();
      pending_ += some.size();
      FindPlaces(some, places_, places.data());
      for (std::size_t i = 0; i < some.size(); ++i) {
        ++counts_[(i & last_lane_) * lane_size_ + places[i]];
      }
    }
  }

  void Add(double value, std::uint64_t count) {
    std::uint32_t place = 0;
    FindPlaces(std::span(&value, 1), places_, &place);
    sums_[place] += count;
  }

  void AddTo(std::span<double> counts) {
    Collect();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] += static_cast<double>(sums_[i + GridPlaces::kBelow]);
    }
  }

 private:
  static constexpr std::size_t kStep = 512;
  static constexpr std::size_t kMaxLanes = 4;
  static constexpr std::size_t kMaxUnbinnedValues = 8192;
  static constexpr std::size_t kMaxPending = std::size_t{1} << 31;

  void Collect() {
    for (std::size_t lane = 0; lane <= last_lane_; ++lane) {
      for (std::size_t i = 0; i < lane_size_; ++i) {
        sums_[i] += std::exchange(counts_[lane * lane_size_ + i], 0u);
      }
    }
    pending_ = 0;
  }

  const GridPlaces places_;
  const std::size_t lane_size_;
  const std::size_t last_lane_;  // Number of lanes - 1; the number is a power of two.
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint64_t> sums_;
  std::size_t pending_ = 0;  // Number of values in counts_.
};

}  // namespace

double BinGrid::width() const { return std::ldexp(1.0, exponent); }

std::int64_t BinGrid::IndexOf(double value) const {
  const auto index = static_cast<std::int64_t>(std::floor(value / width()));
  // Corrects the bin index. If a negative quotient is too small for a double, it becomes 0 and
  // loses its sign.
  return value < static_cast<double>(index) * width() ? index - 1 : index;
}

Result<void> CountInGrid(const TensorView& given, const BinGrid& grid, std::span<double> counts) {
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  const auto bins = static_cast<std::int64_t>(counts.size());
  if (grid.exponent < BinGrid::kMinExponent || grid.exponent > BinGrid::kMaxExponent ||
      grid.first < -BinGrid::kMaxIndex || bins > BinGrid::kMaxIndex ||
      grid.first > BinGrid::kMaxIndex - bins) {
    return Fail(ErrorCode::kInvalidArgument,
                "histogram: " + std::to_string(bins) + " bins of width 2^" +
                    std::to_string(grid.exponent) + ", of which the first has index " +
                    std::to_string(grid.first) +
                    ", are not possible; the width must be from 2^-1000 to 2^1023, and each index "
                    "from -2^30 to 2^30");
  }
  if (tensor.element_count() == 0 || counts.empty()) return {};
  GridCounter counter(grid, counts.size(), tensor.element_count());
  const bool counted_codes =
      ForEachByteRun(tensor, [&](const ByteCounts& bytes, const QuantizedRun& run) {
        bytes.ForEach([&](int code, std::uint64_t count) {
          counter.Add((static_cast<double>(code) - run.zero_point) * run.scale, count);
        });
      });
  if (!counted_codes) {
    ForEachBlock(tensor, 0, tensor.element_count(), [&](auto block) { counter.Add(block); });
  }
  counter.AddTo(counts);
  return {};
}

}  // namespace cboard::tensor
