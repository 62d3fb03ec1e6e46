#include "compression/model_comparison/weight_sketch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compression/model_comparison/weight_rows.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMostRows = 32;
// Of a row, four stretches of sixteen: files are read in stretches, and stretches far from each
// other belong to different inputs.
constexpr std::size_t kStretches = 4, kStretch = 16;

std::vector<std::size_t> SomeOf(const std::vector<std::size_t>& places, std::size_t stretches,
                                std::size_t stretch) {
  if (places.size() <= stretches * stretch) return places;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin =
        places.begin() + static_cast<std::ptrdiff_t>(i * (places.size() / stretches));
    some.insert(some.end(), begin, begin + static_cast<std::ptrdiff_t>(stretch));
  }
  return some;
}

}  // namespace

Result<WeightSketch> WeightSketch::Of(const ModelGraph& model, const ModelLayer& layer) {
  CBOARD_ASSIGN_OR_RETURN(const WeightReader reader, OpenRows(model, layer));
  const StoredPlaces places = PlacesOf(model, layer);
  const auto channels = SomeOf(places.channels, kMostRows, 1);
  const auto elements = SomeOf(places.elements, kStretches, kStretch);
  WeightSketch sketch;
  sketch.rows_ = channels.size();
  sketch.values_.resize(channels.size() * elements.size());
  std::span<float> rest = sketch.values_;
  for (const std::size_t channel : channels) {
    const std::span<float> row = rest.first(elements.size());
    rest = rest.subspan(elements.size());
    for (std::size_t i = 0; i < row.size();) {
      std::size_t end = i + 1;
      while (end < row.size() && elements[end] == elements[i] + (end - i)) ++end;
      reader.Read(channel + elements[i], row.subspan(i, end - i));
      i = end;
    }
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

double WeightSketch::Alikeness(const WeightSketch& other) const {
  if (rows_in_use_ == 0) return 0;
  const double sum =
      std::transform_reduce(values_.begin(), values_.end(), other.values_.begin(), 0.0,
                            std::plus<>(), [](float x, float y) { return double{x} * double{y}; });
  return sum / static_cast<double>(rows_in_use_);
}

}  // namespace cboard::compare
