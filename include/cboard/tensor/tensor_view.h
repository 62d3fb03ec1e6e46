// A borrowed tensor: elements of a dtype that neural networks use, with a shape, strides if the
// elements are not contiguous, and the scales of quantized tensors.
//
//   std::vector<float> weights = …;
//   TensorView view(weights);                                        // one dimension
//   TensorView image(pixels, {3, 224, 224});
//   TensorView codes(int8_weights, {64, 27});
//   codes.quantization = Quantization::PerChannel(scales, zero_points, /*axis=*/0);
//   TensorView fp8(DType::kFloat8E4m3fn, bytes.data(), {64, 27});
//   TensorView packed(DType::kInt4, bytes.data(), {64, 32});         // two per byte
//   TensorView transposed(DType::kFloat32, data, {27, 64});
//   transposed.strides = {1, 27};
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cboard/base/dtype.h"
#include "cboard/base/result.h"

namespace cboard::tensor {

// Old names of cboard::DType and its functions, for existing code.
using cboard::DType;
using cboard::NameOf;
using cboard::SizeOf;

// Quantization parameters: real = (code - zero_point) * scale. Scales are in the order of the
// elements: one per channel, or one per group from the first row to the last. The object borrows
// scales and zero points. If `zero_points` is empty, all are zero.
struct Quantization {
  enum class Granularity { kPerTensor, kPerChannel, kPerGroup };

  Granularity granularity = Granularity::kPerTensor;
  std::span<const float> scales;
  std::span<const std::int32_t> zero_points;
  std::size_t axis = 0;  // kPerChannel: the dimension of the channels.
  // For kPerGroup: the number of consecutive elements of the last dimension that share a scale.
  // Each row starts a new group; the last group of a row may be shorter.
  std::size_t group_size = 0;

  static Quantization PerTensor(std::span<const float> scale,
                                std::span<const std::int32_t> zero_point = {}) {
    return {Granularity::kPerTensor, scale, zero_point, 0, 0};
  }
  static Quantization PerChannel(std::span<const float> scales,
                                 std::span<const std::int32_t> zero_points, std::size_t axis) {
    return {Granularity::kPerChannel, scales, zero_points, axis, 0};
  }
  static Quantization PerGroup(std::span<const float> scales,
                               std::span<const std::int32_t> zero_points, std::size_t group_size) {
    return {Granularity::kPerGroup, scales, zero_points, 0, group_size};
  }
};

// Returns the DType of a C++ element type. Smaller floats and packed integers have no C++20 type.
template <typename T>
constexpr DType DTypeOf() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>)
    return DType::kFloat32;
  else if constexpr (std::is_same_v<U, double>)
    return DType::kFloat64;
  else if constexpr (std::is_same_v<U, bool>)
    return DType::kBool;
  else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) {
    if constexpr (sizeof(U) == 1)
      return DType::kInt8;
    else if constexpr (sizeof(U) == 2)
      return DType::kInt16;
    else if constexpr (sizeof(U) == 4)
      return DType::kInt32;
    else
      return DType::kInt64;
  } else {
    static_assert(std::is_integral_v<U>, "an element type that tensors are stored in");
    if constexpr (sizeof(U) == 1)
      return DType::kUint8;
    else if constexpr (sizeof(U) == 2)
      return DType::kUint16;
    else if constexpr (sizeof(U) == 4)
      return DType::kUint32;
    else
      return DType::kUint64;
  }
}

// A view of a tensor. Elements need not be aligned. Block types of GGUF, strings and complex
// numbers are not supported.
struct TensorView {
  DType dtype = DType::kFloat32;
  const void* data = nullptr;  // The element at index 0 of every dimension.
  std::vector<std::int64_t> shape = {0};
  // The strides: the distance between neighbouring elements along each dimension, in elements. A
  // stride may be 0 or negative. An empty list means contiguous and row-major. Packed types (int4,
  // float4, …) must be contiguous.
  std::vector<std::int64_t> strides;
  std::optional<Quantization> quantization;

  TensorView() = default;
  TensorView(DType element_type, const void* elements, std::vector<std::int64_t> dimensions)
      : dtype(element_type), data(elements), shape(std::move(dimensions)) {}

  template <typename T>
  TensorView(std::span<const T> values)  // NOLINT: a span is a tensor of one dimension.
      : dtype(DTypeOf<T>()), data(values.data()), shape{static_cast<std::int64_t>(values.size())} {}
  template <typename T>
  TensorView(const std::vector<T>& values) : TensorView(std::span<const T>(values)) {}  // NOLINT
  template <typename T>
  TensorView(const std::vector<T>& values, std::vector<std::int64_t> dimensions)
      : dtype(DTypeOf<T>()), data(values.data()), shape(std::move(dimensions)) {}
  // Creates a view of an initializer list. Use it only for the argument of a call, such as `{1.f,
  // 2.f}`: the memory of the list lives only until the end of the call.
  template <typename T>
  TensorView(std::initializer_list<T> values)  // NOLINT
      : TensorView(std::span<const T>(values.begin(), values.size())) {}

  // Returns the number of elements: the product of the shape. Call Validate() first; it rejects
  // negative sizes and overflow.
  std::size_t element_count() const {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    return count;
  }

  // Returns the size of the elements in bytes, assuming that they are contiguous.
  std::size_t byte_count() const {
    const ElementLayout layout = LayoutOf(dtype);
    return (element_count() + layout.elements - 1) / layout.elements * layout.bytes;
  }

  // Checks a tensor view. Fails with kInvalidArgument if the dtype is not supported, a dimension is
  // negative, the size overflows, data is missing, or the strides or scales do not match the shape.
  Result<void> Validate() const;
};

}  // namespace cboard::tensor

namespace cboard {
using tensor::Quantization;
using tensor::TensorView;
}  // namespace cboard
