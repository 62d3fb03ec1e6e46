#include "cboard/tensor/convert.h"

#include <algorithm>
#include <array>
#include <limits>

#include "tensor/element_reader.h"

namespace cboard::tensor {

Result<std::vector<double>> ToDoubles(const TensorView& tensor) {
  CBOARD_RETURN_IF_ERROR(tensor.Validate());
  const std::size_t count = tensor.element_count();
  if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double)) {
    return Fail(ErrorCode::kInvalidArgument,
                "tensor of " + std::to_string(count) + " elements does not fit as float64");
  }
  std::vector<double> values(count);
  ReadDoubles(tensor, 0, values);
  return values;
}

Result<std::vector<float>> ToFloats(const TensorView& tensor) {
  CBOARD_RETURN_IF_ERROR(tensor.Validate());
  const std::size_t count = tensor.element_count();
  if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float)) {
    return Fail(ErrorCode::kInvalidArgument,
                "tensor of " + std::to_string(count) + " elements does not fit as float32");
  }
  std::vector<float> values(count);
  if (FitsFloat32(tensor)) {
    ReadFloats(tensor, 0, values);
    return values;
  }
  std::array<double, kChunkElements> chunk;
  for (std::size_t first = 0; first < count; first += chunk.size()) {
    const std::span<double> part = std::span(chunk).first(std::min(chunk.size(), count - first));
    ReadDoubles(tensor, first, part);
    std::ranges::transform(part, values.begin() + static_cast<std::ptrdiff_t>(first),
                           [](double value) { return static_cast<float>(value); });
  }
  return values;
}

}  // namespace cboard::tensor
