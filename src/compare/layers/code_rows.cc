#include "compare/layers/code_rows.h"

#include <algorithm>
#include <span>

namespace cboard::compare {
namespace {

using Granularity = Quantization::Granularity;

// Number of consecutive elements of a row that share a scale; 0 if the whole row shares one scale,
// nullopt if elements with the same scale are not adjacent.
std::optional<std::size_t> GroupSizeOf(const model::ModelTensor& weight,
                                       const model::ModelTensor& stored, const WeightLayout& layout,
                                       const model::ModelQuantization& quantization,
                                       std::size_t row) {
  if (quantization.granularity == Granularity::kPerTensor) return 0;
  // Without a common shape, it is not known which stored element has which scale.
  if (weight.shape != stored.shape || quantization.axis >= weight.shape.size()) return std::nullopt;
  const bool is_by_channel = quantization.axis == layout.channel_axis;
  if (quantization.granularity == Granularity::kPerChannel) {
    return is_by_channel ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const bool is_the_row = !is_by_channel && std::cmp_equal(weight.shape[quantization.axis], row) &&
                          quantization.axis != layout.direction_axis;
  if (!is_the_row || quantization.group_size == 0) return std::nullopt;
  return quantization.group_size;
}

}  // namespace

Result<std::optional<CodeRows>> CodeRows::Open(const model::ModelGraph& model,
                                               const ModelLayer& layer) {
  const model::ModelTensor& weight = model.tensor(layer.weight);
  const model::ModelTensor& stored = model.tensor(weight.source);
  CBOARD_ASSIGN_OR_RETURN(const model::WeightReader reader, OpenRows(model, layer));
  const model::ModelQuantization* quantization = reader.quantization();
  const bool are_small_floats = HoldsCodes(stored.type) && !IsInteger(stored.type);
  if (quantization == nullptr || are_small_floats) return std::nullopt;
  const bool is_signed = quantization->code_min < 0;
  const std::int64_t least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
  if (quantization->code_min < least || quantization->code_max > most ||
      quantization->code_min >= quantization->code_max) {
    return std::nullopt;
  }
  const WeightSize size = SizeOf(model, layer);
  if (size.elements == 0) return std::nullopt;
  const std::size_t row = size.elements / size.channels;
  const std::optional<std::size_t> group_size =
      GroupSizeOf(weight, stored, layer.layout, *quantization, row);
  if (!group_size) return std::nullopt;

  CBOARD_ASSIGN_OR_RETURN(RowReader rows,
                          RowReader::Open(model, layer, {}, {}, &model::WeightReader::ReadCodes));
  CodeRows codes(std::move(rows));
  codes.range_ = {.min = static_cast<std::int32_t>(quantization->code_min),
                  .max = static_cast<std::int32_t>(quantization->code_max)};
  codes.group_size_ = *group_size;
  const StoredPlaces& places = codes.rows_.places();
  for (const std::size_t channel : places.channels) {
    for (std::size_t i = 0; i < row; i += *group_size == 0 ? row : *group_size) {
      const std::size_t scale = reader.ScaleIndexOf(channel + places.elements[i]);
      codes.scales_.push_back(quantization->scales[scale]);
      codes.zero_points_.push_back(
          quantization->zero_points.empty() ? 0 : quantization->zero_points[scale]);
    }
  }
  return codes;
}

TensorView CodeRows::Read(std::size_t first, std::size_t count) {
  const std::span<const float> numbers = rows_.Read(first, count);
  codes_.resize(numbers.size());
  std::ranges::transform(numbers, codes_.begin(), [](float code) {
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(code));
  });
  TensorView view(range_.min < 0 ? DType::kInt8 : DType::kUint8, codes_.data(),
                  {static_cast<std::int64_t>(count), static_cast<std::int64_t>(rows_.row())});
  const std::size_t in_row = scales_.size() / rows_.channels();
  const auto of_these = [&](auto& all) {
    return std::span(std::as_const(all)).subspan(first * in_row, count * in_row);
  };
  view.quantization =
      group_size_ == 0
          ? Quantization::PerChannel(of_these(scales_), of_these(zero_points_), 0)
          : Quantization::PerGroup(of_these(scales_), of_these(zero_points_), group_size_);
  return view;
}

}  // namespace cboard::compare
