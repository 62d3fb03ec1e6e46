// Reads the stored elements of a constant as real values.
#include <algorithm>
#include <cmath>

#include "cboard/base/check.h"
#include "cboard/model/model_graph.h"
#include "model/graph/stored_values.h"

namespace cboard::model {

void WeightReader::SetScaleStrides(const std::vector<std::int64_t>& shape,
                                   const ModelQuantization* scaled) {
  using Granularity = Quantization::Granularity;
  if (scaled == nullptr || scaled->granularity == Granularity::kPerTensor || shape.empty()) {
    inner_size_ = std::max<std::size_t>(element_count_, 1);
    return;
  }
  const std::size_t axis = std::min(scaled->axis, shape.size() - 1);
  axis_size_ = static_cast<std::size_t>(shape[axis]);
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    inner_size_ *= static_cast<std::size_t>(shape[i]);
  }
  group_size_ = scaled->granularity == Granularity::kPerGroup ? scaled->group_size : 1;
  groups_ = (axis_size_ + group_size_ - 1) / group_size_;
}

std::size_t WeightReader::ScaleIndexOf(std::size_t element) const {
  const std::size_t along = element / inner_size_ % axis_size_;
  if (quantization()->granularity != Quantization::Granularity::kPerGroup) {
    return along;  // Per channel. Per tensor, axis_size_ is 1 and the result is 0.
  }
  const std::size_t outer = element / inner_size_ / axis_size_;
  return (outer * groups_ + along / group_size_) * inner_size_ + element % inner_size_;
}

template <typename Visitor>
void WeightReader::ForEachRun(std::size_t first, std::size_t count, const Visitor& visit) const {
  const ModelQuantization& scaled = *quantization();
  const bool in_groups = scaled.granularity == Quantization::Granularity::kPerGroup;
  std::size_t done = 0;
  while (done < count) {
    const std::size_t element = first + done;
    std::size_t run = inner_size_ - element % inner_size_;
    if (in_groups) {
      const std::size_t along = element / inner_size_ % axis_size_;
      run = inner_size_ > 1 ? 1 : std::min(group_size_ - along % group_size_, axis_size_ - along);
    }
    run = std::min(run, count - done);
    const std::size_t index = ScaleIndexOf(element);
    visit(done, run, scaled.scales[index],
          scaled.zero_points.empty() ? 0.f : static_cast<float>(scaled.zero_points[index]));
    done += run;
  }
}

void WeightReader::ReadPadded(std::size_t first, std::span<float> out) const {
  while (!out.empty()) {
    const std::size_t column = first % row_;
    const std::size_t count = std::min(row_ - column, out.size());
    LoadStored(type_, data_, first / row_ * stored_row_ + column, out.first(count));
    first += count;
    out = out.subspan(count);
  }
}

void WeightReader::ReadStored(std::size_t first, std::span<float> out) const {
  CBOARD_CHECK(first <= element_count_ && out.size() <= element_count_ - first);
  if (out.empty()) return;
  if (stored_row_ > 0) return ReadPadded(first, out);
  const std::size_t stored =
      first < stored_count_ ? std::min(stored_count_ - first, out.size()) : 0;
  LoadStored(type_, data_, first, out.first(stored));
  if (stored < out.size()) {
    float last = 0;
    LoadStored(type_, data_, stored_count_ - 1, {&last, 1});
    std::ranges::fill(out.subspan(stored), last);
  }
}

void WeightReader::ReadCodes(std::size_t first, std::span<float> out) const {
  ReadStored(first, out);
  if (dequantization_ != nullptr) return;
  const auto min = static_cast<float>(rounding_->code_min);
  const auto max = static_cast<float>(rounding_->code_max);
  ForEachRun(first, out.size(),
             [&](std::size_t begin, std::size_t count, float scale, float zero_point) {
               for (float& value : out.subspan(begin, count)) {
                 // Rounds a value to the nearest code, ties to even, like QuantizeLinear.
                 value = std::clamp(std::nearbyint(value / scale) + zero_point, min, max);
               }
             });
}

void WeightReader::Read(std::size_t first, std::span<float> out) const {
  if (quantization() == nullptr) return ReadStored(first, out);
  ReadCodes(first, out);
  ForEachRun(first, out.size(),
             [&](std::size_t begin, std::size_t count, float scale, float zero_point) {
               for (float& value : out.subspan(begin, count)) value = (value - zero_point) * scale;
             });
}

}  // namespace cboard::model
