#include "writer/media/pixel_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cboard/tensor/convert.h"
#include "writer/media/float_bytes.h"

namespace cboard::writer::media {
namespace {

constexpr std::uint8_t kWhite = 255;

// Converts a value to a byte. The result equals numpy's C cast on x86, and is defined for every
// value.
struct Wrap {
  template <typename Real>
  std::uint8_t operator()(Real value) const {
    const bool fits = value >= Real{-2147483648.0} && value < Real{2147483648.0};
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(fits ? value : Real{0}));
  }
  static constexpr auto kScaleFloats = ScaleAndWrap;
};

struct Clamp {
  template <typename Real>
  std::uint8_t operator()(Real value) const {
    // NaN becomes 0, because every comparison with NaN is false.
    const Real low = value > Real{0} ? value : Real{0};
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(low < Real{255} ? low : Real{255}));
  }
  static constexpr auto kScaleFloats = ScaleAndClamp;
};

// Rounds a float to the eleven significant bits of a half-precision number; ties go to even. Only
// the integer part of the result is used, so the coarser steps of very small half-precision numbers
// are ignored.
float RoundToHalf(float value) {
  // From this magnitude on, rounding gives infinity: it is the middle between the largest
  // half-precision number and the next power of two.
  constexpr float kTooLarge = 65520;
  if (std::abs(value) >= kTooLarge) {
    return std::copysign(std::numeric_limits<float>::infinity(), value);
  }
  if (std::isnan(value)) return value;
  constexpr std::uint32_t kDropped = 0x1fff;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  bits += kDropped / 2 + ((bits >> 13) & 1);
  return std::bit_cast<float>(bits & ~kDropped);
}

// These functions multiply elements by 255 and convert the products to bytes. The product has the
// type that numpy uses: float64 for most element types, float32 or float16 for some.
template <typename Element, typename ToByte>
PixelValues ScaledAsDoubles(const Element* elements, std::size_t count, ToByte to_byte) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = to_byte(static_cast<double>(elements[i]) * 255);
  }
  return PixelValues(std::move(bytes));
}

template <typename ToByte>
PixelValues ScaledAsFloats(const float* elements, std::size_t count, ToByte) {
  std::vector<std::uint8_t> bytes(count);
  ToByte::kScaleFloats(elements, count, bytes.data());
  return PixelValues(std::move(bytes));
}

template <typename ToByte>
PixelValues ScaledAsHalves(const float* elements, std::size_t count, ToByte to_byte) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = to_byte(RoundToHalf(elements[i] * 255));
  return PixelValues(std::move(bytes));
}

template <typename ToByte>
Result<PixelValues> Convert(const TensorView& given, ToByte to_byte) {
  CBOARD_ASSIGN_OR_RETURN(const tensor::PlainTensor plain, tensor::PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  const std::size_t count = tensor.element_count();
  const auto scaled = [&]<typename Element>(Element) {
    return ScaledAsDoubles(static_cast<const Element*>(tensor.data), count, to_byte);
  };
  if (tensor.quantization || tensor.dtype == DType::kBfloat16) {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> reals, tensor::ToFloats(tensor));
    return ScaledAsFloats(reals.data(), count, to_byte);
  }
  switch (tensor.dtype) {
    case DType::kUint8: {
      const std::span bytes(static_cast<const std::uint8_t*>(tensor.data), count);
      if (plain.is_copy()) return PixelValues(std::vector(bytes.begin(), bytes.end()));
      return PixelValues(bytes);
    }
    case DType::kFloat32:
      return ScaledAsFloats(static_cast<const float*>(tensor.data), count, to_byte);
    case DType::kFloat64:
      return scaled(double{});
    case DType::kFloat16: {
      CBOARD_ASSIGN_OR_RETURN(const std::vector<float> reals, tensor::ToFloats(tensor));
      return ScaledAsHalves(reals.data(), count, to_byte);
    }
    case DType::kBool: {
      // Booleans are read as bytes: every non-zero byte is true.
      const auto* booleans = static_cast<const std::uint8_t*>(tensor.data);
      std::vector<std::uint8_t> bytes(count);
      std::transform(booleans, booleans + count, bytes.begin(),
                     [](std::uint8_t truth) { return truth == 0 ? std::uint8_t{0} : kWhite; });
      return PixelValues(std::move(bytes));
    }
    case DType::kInt8:
      return scaled(std::int8_t{});
    case DType::kInt16:
      return scaled(std::int16_t{});
    case DType::kUint16:
      return scaled(std::uint16_t{});
    case DType::kInt32:
      return scaled(std::int32_t{});
    case DType::kUint32:
      return scaled(std::uint32_t{});
    case DType::kInt64:
      return scaled(std::int64_t{});
    case DType::kUint64:
      return scaled(std::uint64_t{});
    default:
      return Fail(ErrorCode::kInvalidArgument, "the tensor has an unknown element type");
  }
}

}  // namespace

Result<PixelValues> ToPixelValues(const TensorView& tensor) { return Convert(tensor, Wrap{}); }

Result<PixelValues> ToClampedPixelValues(const TensorView& tensor) {
  return Convert(tensor, Clamp{});
}

}  // namespace cboard::writer::media
