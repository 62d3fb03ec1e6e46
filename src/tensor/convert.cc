#include "cboard/tensor/convert.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "tensor/element_reader.h"

namespace cboard::tensor {
namespace {

// Copies the elements of a strided tensor to `to` in row-major order, and moves `to` behind them.
void Gather(const TensorView& tensor, std::size_t dimension, const std::byte* from,
            std::byte*& to) {
  const std::size_t size = SizeOf(tensor.dtype);
  if (dimension == tensor.shape.size()) {
    std::memcpy(to, from, size);
    to += size;
    return;
  }
  const std::ptrdiff_t step = tensor.strides[dimension] * static_cast<std::ptrdiff_t>(size);
  for (std::int64_t i = 0; i < tensor.shape[dimension]; ++i) {
    Gather(tensor, dimension + 1, from + i * step, to);
  }
}

template <typename Element>
std::vector<std::byte> BytesOf(const std::vector<Element>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// Unpacks integers of fewer than eight bits to int8 or uint8.
template <typename Element>
std::vector<std::byte> Widen(const TensorView& tensor) {
  std::vector<float> values(tensor.element_count());
  LoadFloats(tensor.dtype, tensor.data, 0, values);
  return BytesOf(std::vector<Element>(values.begin(), values.end()));
}

}  // namespace

Result<PlainTensor> PlainTensor::Of(const TensorView& tensor) {
  CBOARD_RETURN_IF_ERROR(tensor.Validate());
  PlainTensor plain(tensor);
  if (IsPlain(tensor.dtype) && tensor.strides.empty()) return plain;
  TensorView& view = plain.made_.emplace(tensor);
  const auto hold = [&](DType dtype, std::vector<std::byte> elements) {
    plain.elements_ = std::move(elements);
    view.dtype = dtype;
    view.data = plain.elements_.data();
  };
  if (!tensor.strides.empty()) {
    std::vector<std::byte> elements(tensor.byte_count());
    std::byte* to = elements.data();
    if (!elements.empty()) Gather(tensor, 0, static_cast<const std::byte*>(tensor.data), to);
    hold(tensor.dtype, std::move(elements));
    view.strides.clear();
  }
  if (IsPlain(view.dtype)) return plain;
  if (IsInteger(view.dtype)) {
    const bool is_signed = view.dtype == DType::kInt4 || view.dtype == DType::kInt2;
    hold(is_signed ? DType::kInt8 : DType::kUint8,
         is_signed ? Widen<std::int8_t>(view) : Widen<std::uint8_t>(view));
    return plain;
  }
  std::vector<float> values(view.element_count());
  LoadFloats(view.dtype, view.data, 0, values);
  if (!view.quantization) {
    hold(DType::kFloat32, BytesOf(values));
    return plain;
  }
  std::vector<double> reals(values.begin(), values.end());
  ScaleLookup(view).Dequantize(0, reals);
  hold(DType::kFloat64, BytesOf(reals));
  view.quantization.reset();
  return plain;
}

Result<std::vector<double>> ToDoubles(const TensorView& given) {
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  const std::size_t count = tensor.element_count();
  if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double)) {
    return Fail(ErrorCode::kInvalidArgument,
                "cannot convert a tensor of " + std::to_string(count) +
                    " elements to float64: the result exceeds the address space");
  }
  std::vector<double> values(count);
  ReadDoubles(tensor, 0, values);
  return values;
}

Result<std::vector<float>> ToFloats(const TensorView& given) {
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  const std::size_t count = tensor.element_count();
  if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float)) {
    return Fail(ErrorCode::kInvalidArgument,
                "cannot convert a tensor of " + std::to_string(count) +
                    " elements to float32: the result exceeds the address space");
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
