#include "compression/model_comparison/leftovers.h"

#include <algorithm>

namespace cboard::compare {
namespace {

double Square(double x) { return x * x; }

}  // namespace

double MeanOf(const TensorStatistics& side) {
  return side.sum / static_cast<double>(side.finite_count());
}

double VarianceOf(const TensorStatistics& side) {
  return std::max(
      0.0, side.sum_squares / static_cast<double>(side.finite_count()) - Square(MeanOf(side)));
}

double RangeOf(const TensorStatistics& side) {
  return std::max(std::abs(side.min), std::abs(side.max));
}

bool IsDead(const PairStatistics& channel, std::optional<double> step) {
  if (channel.finite_count() == 0 || channel.reference.sum_squares == 0) return false;
  if (step && RangeOf(channel.reference) < *step) return false;  // Too small for its scale.
  return VarianceOf(channel.compressed) <= 1e-6 * VarianceOf(channel.reference) &&
         VarianceOf(channel.reference) > 0;
}

double LeftByFactor(const PairStatistics& pairs) {
  if (pairs.reference.sum_squares == 0) return pairs.sum_squared_error;
  return std::max(0.0,
                  pairs.compressed.sum_squares - Square(pairs.Dot()) / pairs.reference.sum_squares);
}

double LeftByOffset(const PairStatistics& pairs) {
  const double offset = MeanOf(pairs.compressed) - MeanOf(pairs.reference);
  return std::max(
      0.0, pairs.sum_squared_error - static_cast<double>(pairs.finite_count()) * Square(offset));
}

}  // namespace cboard::compare
