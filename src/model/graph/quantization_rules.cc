#include "model/graph/quantization_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/graph/stored_values.h"

namespace cboard::model {
namespace {

// Reads zero points. They are integers, although some programs store them as floats.
std::optional<std::vector<std::int64_t>> WholeNumbers(const ModelTensor& tensor,
                                                      std::size_t max_count) {
  if (IsInteger(tensor.type)) return IntegersOf(tensor, max_count);
  const std::optional<std::vector<float>> floats = FloatsOf(tensor, max_count);
  if (!floats) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const float value : *floats) {
    if (!(std::abs(value) < 0x1p31f) || value != std::trunc(value)) return std::nullopt;
    numbers.push_back(static_cast<std::int64_t>(value));
  }
  return numbers;
}

}  // namespace

void SetCodeRange(DType type, ModelQuantization& quantization) {
  int bits = 32;
  bool is_signed = true;
  switch (type) {
    case DType::kInt2:
    case DType::kUint2:
      bits = 2;
      break;
    case DType::kInt4:
    case DType::kUint4:
    case DType::kFloat4E2m1:
      bits = 4;
      break;
    case DType::kInt8:
    case DType::kUint8:
    case DType::kFloat8E4m3fn:
    case DType::kFloat8E4m3fnuz:
    case DType::kFloat8E5m2:
    case DType::kFloat8E5m2fnuz:
      bits = 8;
      break;
    case DType::kInt16:
    case DType::kUint16:
      bits = 16;
      break;
    default:
      break;
  }
  switch (type) {
    case DType::kUint2:
    case DType::kUint4:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
      is_signed = false;
      break;
    default:
      break;
  }
  quantization.code_min = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  quantization.code_max = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
}

Result<std::optional<ModelQuantization>> MakeQuantization(GraphAssembler& graph,
                                                          const QuantizationSource& source) {
  using Granularity = Quantization::Granularity;
  if (!HoldsCodes(source.type)) return std::nullopt;
  const std::optional<std::uint64_t> count = ElementCount(source.scales->shape);
  if (!count || *count == 0) return std::nullopt;

  ModelQuantization made;
  made.origin = source.origin;
  if (*count > 1 || source.group_size > 0) {
    if (!source.has_shape) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(source.shape.size());
    const std::int64_t axis = source.axis < 0 ? source.axis + rank : source.axis;
    if (axis < 0 || axis >= rank) return std::nullopt;
    made.axis = static_cast<std::size_t>(axis);
    if (source.group_size > 0) {
      std::vector<std::int64_t> groups = source.shape;
      if (groups[made.axis] < 0) return std::nullopt;
      groups[made.axis] = groups[made.axis] / source.group_size +
                          (groups[made.axis] % source.group_size != 0 ? 1 : 0);
      if (ElementCount(groups) != count) return std::nullopt;
      made.granularity = Granularity::kPerGroup;
      made.group_size = static_cast<std::size_t>(source.group_size);
    } else {
      if (static_cast<std::uint64_t>(source.shape[made.axis]) != *count) return std::nullopt;
      made.granularity = Granularity::kPerChannel;
    }
  }
  CBOARD_RETURN_IF_ERROR(graph.Charge(*count * (sizeof(float) + sizeof(std::int32_t))));
  std::optional<std::vector<float>> scales = FloatsOf(*source.scales, *count);
  if (!scales) return std::nullopt;
  made.scales = *std::move(scales);
  // If codes are floats, there is no zero point, or it is zero.
  if (source.zero_points != nullptr && IsInteger(source.type)) {
    const auto zero_points = WholeNumbers(*source.zero_points, *count);
    // A single zero point is used for all scales.
    if (!zero_points || (zero_points->size() != *count && zero_points->size() != 1)) {
      return std::nullopt;
    }
    if (std::ranges::any_of(*zero_points, [](std::int64_t value) {
          return value < std::numeric_limits<std::int32_t>::min() ||
                 value > std::numeric_limits<std::int32_t>::max();
        })) {
      return std::nullopt;
    }
    made.zero_points.assign(zero_points->begin(), zero_points->end());
    made.zero_points.resize(made.scales.size(), made.zero_points[0]);
  }
  SetCodeRange(source.type, made);
  return made;
}

}  // namespace cboard::model
