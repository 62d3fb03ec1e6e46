#include "cboard/tensor/tensor_view.h"

#include <algorithm>
#include <limits>
#include <string>

#include "cboard/base/strings.h"

namespace cboard::tensor {
namespace {

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, "tensor: " + std::move(message));
}

// Returns the number of scales that the shape of a tensor requires.
Result<std::size_t> ScalesNeeded(const Quantization& quantization,
                                 const std::vector<std::int64_t>& shape) {
  switch (quantization.granularity) {
    case Quantization::Granularity::kPerTensor:
      return 1;
    case Quantization::Granularity::kPerChannel:
      if (quantization.axis >= shape.size()) {
        return Invalid("quantization axis " + std::to_string(quantization.axis) +
                       " is not a dimension of shape " + ShapeText(shape));
      }
      return static_cast<std::size_t>(shape[quantization.axis]);
    case Quantization::Granularity::kPerGroup: {
      if (quantization.group_size == 0 || shape.empty()) {
        return Invalid(
            "quantization in groups needs a group size above 0 and at least one dimension, but the "
            "group size is " +
            std::to_string(quantization.group_size) + " and the shape is " + ShapeText(shape));
      }
      std::size_t rows = 1;
      for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= static_cast<std::size_t>(shape[i]);
      const auto row_length = static_cast<std::size_t>(shape.back());
      return rows * (row_length / quantization.group_size +
                     (row_length % quantization.group_size != 0 ? 1 : 0));
    }
  }
  return Invalid("unknown quantization granularity");
}

Result<void> ValidateQuantization(const TensorView& tensor, const Quantization& quantization) {
  if (!HoldsCodes(tensor.dtype)) {
    return Invalid("only integers and floats of 8 or 4 bits can be quantized codes, not " +
                   std::string(NameOf(tensor.dtype)));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t needed, ScalesNeeded(quantization, tensor.shape));
  if (quantization.scales.size() != needed) {
    return Invalid("shape " + ShapeText(tensor.shape) + " needs " + std::to_string(needed) +
                   " scales, but " + std::to_string(quantization.scales.size()) + " are given");
  }
  if (!quantization.zero_points.empty() && quantization.zero_points.size() != needed) {
    return Invalid("there are " + std::to_string(needed) + " scales, but " +
                   std::to_string(quantization.zero_points.size()) +
                   " zero points; give one zero point per scale, or none");
  }
  return {};
}

Result<void> ValidateStrides(const TensorView& tensor) {
  if (tensor.strides.size() != tensor.shape.size()) {
    return Invalid("shape " + ShapeText(tensor.shape) + " needs " +
                   std::to_string(tensor.shape.size()) + " strides, but " +
                   std::to_string(tensor.strides.size()) + " are given");
  }
  if (SizeOf(tensor.dtype) == 0) {
    return Invalid(
        "elements of " + std::string(NameOf(tensor.dtype)) +
        " are packed into bytes and cannot have strides; copy them to a contiguous array");
  }
  // Rejects sizes beyond ptrdiff_t: the distance between the first and the last element must fit
  // into this type.
  std::uint64_t left = std::numeric_limits<std::ptrdiff_t>::max() / SizeOf(tensor.dtype);
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const std::int64_t stride = tensor.strides[i];
    const std::uint64_t step =
        stride < 0 ? -static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
    const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.shape[i] - 1, 0));
    if (steps > 0 && step > left / steps) {
      return Invalid("stride " + std::to_string(stride) + " of dimension " + std::to_string(i) +
                     " exceeds the address space");
    }
    left -= steps * step;
  }
  return {};
}

}  // namespace

Result<void> TensorView::Validate() const {
  // Rejects unknown element types. Views that come from other languages may have them.
  if (NameOf(dtype) == "unknown") {
    return Invalid("dtype " + std::to_string(static_cast<int>(dtype)) +
                   " is not a value of the enum DType");
  }
  if (!HoldsRealNumbers(dtype) || IsBlockType(dtype)) {
    return Invalid("elements of " + std::string(NameOf(dtype)) +
                   " cannot be read one by one as real numbers; convert them first");
  }
  if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 0; })) {
    return Invalid("shape " + ShapeText(shape) + " has a negative dimension");
  }
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  if (!empty) {
    std::uint64_t left = std::numeric_limits<std::ptrdiff_t>::max() / LayoutOf(dtype).bytes;
    for (const std::int64_t size : shape) left /= static_cast<std::uint64_t>(size);
    if (left == 0) return Invalid("shape " + ShapeText(shape) + " exceeds the address space");
    if (data == nullptr) {
      return Invalid("shape " + ShapeText(shape) + " has elements, but the data pointer is null");
    }
  }
  if (!strides.empty()) CBOARD_RETURN_IF_ERROR(ValidateStrides(*this));
  return quantization ? ValidateQuantization(*this, *quantization) : Result<void>();
}

}  // namespace cboard::tensor
