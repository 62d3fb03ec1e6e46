#include "compare/pairing/weight_sketch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/layers/weight_rows.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMaxRows = 32;
// A row is sampled in four ranges of sixteen values: files are read in ranges, and distant ranges
// belong to different inputs.
constexpr std::size_t kStretches = 4, kStretch = 16;

}  // namespace

Result<WeightSketch> WeightSketch::Of(const model::ModelGraph& model, const ModelLayer& layer) {
  const WeightSize size = SizeOf(model, layer);
  const std::size_t length = size.channels == 0 ? 0 : size.elements / size.channels;
  const auto channels = SamplePositions(size.channels, kMaxRows, 1);
  const auto elements = SamplePositions(length, kStretches, kStretch);
  CBOARD_ASSIGN_OR_RETURN(WeightRows rows, ReadSubset(model, layer, channels, elements));
  WeightSketch sketch;
  sketch.rows_ = rows.channels;
  sketch.values_ = std::move(rows.values);
  std::span<float> rest = sketch.values_;
  for (std::size_t i = 0; i < sketch.rows_; ++i) {
    const std::span<float> row = rest.first(elements.size());
    rest = rest.subspan(elements.size());
    const double squares =
        std::transform_reduce(row.begin(), row.end(), 0.0, std::plus<>(),
                              [](float value) { return double{value} * double{value}; });
    const bool is_usable = squares > 0 && std::isfinite(squares);
    sketch.rows_in_use_ += is_usable ? 1 : 0;
    const double factor = is_usable ? 1 / std::sqrt(squares) : 0;
    for (float& value : row) value = is_usable ? static_cast<float>(value * factor) : 0;
  }
  return sketch;
}

double WeightSketch::MeanCosine(const WeightSketch& other) const {
  if (rows_in_use_ == 0) return 0;
  const double sum =
      std::transform_reduce(values_.begin(), values_.end(), other.values_.begin(), 0.0,
                            std::plus<>(), [](float x, float y) { return double{x} * double{y}; });
  return sum / static_cast<double>(rows_in_use_);
}

}  // namespace cboard::compare
