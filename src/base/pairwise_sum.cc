#include "cboard/base/pairwise_sum.h"

#include <algorithm>
#include <array>

namespace cboard {

double PairwiseSum(std::span<const double> values) {
  if (values.size() < 8) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }
  if (values.size() > 128) {
    const std::size_t half = values.size() / 2 - values.size() / 2 % 8;
    return PairwiseSum(values.first(half)) + PairwiseSum(values.subspan(half));
  }
  std::array<double, 8> sums;
  std::ranges::copy(values.first<8>(), sums.begin());
  std::size_t i = 8;
  for (; i + 8 <= values.size(); i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += values[i + j];
  }
  double sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < values.size(); ++i) sum += values[i];
  return sum;
}

}  // namespace cboard
