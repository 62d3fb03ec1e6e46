#include "compression/model_comparison/weight_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "compression/model_comparison/weight_rows.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMostRows = 32;
// Of a row, four stretches of sixteen: files are read in stretches, and stretches far from each
// other belong to different inputs.
constexpr std::size_t kStretches = 4, kStretch = 16;

// So many sketches share a key, on the average; no more than so many are looked at.
constexpr std::size_t kUsualPerKey = 16, kMostPerKey = 64;

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
  sketch.SetSigns();
  return sketch;
}

void WeightSketch::SetSigns() {
  if (values_.empty()) return;
  const std::size_t row = values_.size() / rows_;
  std::uint32_t random = 12345;
  for (std::size_t plane = 0; plane < kSigns; ++plane) {
    const std::span<const float> values = std::span(values_).subspan(plane % rows_ * row, row);
    float dot = 0;
    for (const float value : values) {
      random = random * 1664525u + 1013904223u;
      dot += (random >> 31) != 0 ? value : -value;
    }
    if (dot > 0) signs_[plane / 32] |= 1u << plane % 32;
  }
}

double WeightSketch::Alikeness(const WeightSketch& other) const {
  if (rows_in_use_ == 0) return 0;
  const double sum =
      std::transform_reduce(values_.begin(), values_.end(), other.values_.begin(), 0.0,
                            std::plus<>(), [](float x, float y) { return double{x} * double{y}; });
  return sum / static_cast<double>(rows_in_use_);
}

SketchIndex::SketchIndex(std::span<const WeightSketch> sketches) {
  const bool are_few = sketches.size() <= kMostPerKey;
  if (!are_few) {
    planes_ = std::min<std::size_t>(std::bit_width(sketches.size() / kUsualPerKey),
                                    WeightSketch::kSigns / kTables);
  }
  tables_.resize(are_few ? 1 : kTables);
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Table& table = tables_[t];
    table.begins.resize((std::size_t{1} << planes_) + 1);
    for (const WeightSketch& sketch : sketches) ++table.begins[KeyOf(sketch, t) + 1];
    std::partial_sum(table.begins.begin(), table.begins.end(), table.begins.begin());
    table.positions.resize(sketches.size());
    std::vector<std::uint32_t> next = table.begins;
    for (std::size_t i = 0; i < sketches.size(); ++i) {
      table.positions[next[KeyOf(sketches[i], t)]++] = static_cast<std::uint32_t>(i);
    }
  }
}

std::uint32_t SketchIndex::KeyOf(const WeightSketch& sketch, std::size_t table) const {
  std::uint32_t key = 0;
  for (std::size_t i = 0; i < planes_; ++i) {
    key = key << 1 | (sketch.SignAt(table * planes_ + i) ? 1u : 0u);
  }
  return key;
}

std::vector<std::size_t> SketchIndex::Near(const WeightSketch& sketch) const {
  std::vector<std::size_t> near;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    const std::uint32_t key = KeyOf(sketch, t);
    const std::size_t begin = table.begins[key];
    const std::size_t end = std::min<std::size_t>(table.begins[key + 1], begin + kMostPerKey);
    near.insert(near.end(), table.positions.begin() + static_cast<std::ptrdiff_t>(begin),
                table.positions.begin() + static_cast<std::ptrdiff_t>(end));
  }
  std::ranges::sort(near);
  const auto repeated = std::ranges::unique(near);
  near.erase(repeated.begin(), repeated.end());
  return near;
}

}  // namespace cboard::compare
