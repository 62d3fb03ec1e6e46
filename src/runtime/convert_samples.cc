#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "cboard/tensor/convert.h"
#include "runtime/sample_sources.h"

namespace cboard::runtime {
namespace {

// Converts a float to the nearest binary16 number. Ties go to even.
std::uint16_t ToHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFF);
  if (!(magnitude < 65520.0f)) {  // Infinite, NaN, or rounded to infinity.
    return static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7E00 : 0x7C00));
  }
  if (magnitude < 0x1p-14f) {  // Subnormal: a multiple of 2^-24.
    return static_cast<std::uint16_t>(sign | std::lrint(magnitude * 0x1p24f));
  }
  // Rounds the mantissa. If this carries into the exponent, the result is still correct.
  const std::uint32_t rounded = (bits & 0x7FFFFFFF) + 0xFFF + (bits >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - ((127 - 15) << 10)));
}

// Converts a float to the nearest bfloat16 number. Ties go to even.
std::uint16_t ToBfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

template <typename To, typename From, typename Convert>
void Fill(const std::vector<From>& values, OwnedTensor& out, Convert convert) {
  out.elements.resize(values.size() * sizeof(To));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const To value = convert(values[i]);
    std::memcpy(out.elements.data() + i * sizeof(To), &value, sizeof(To));
  }
}

// Converts all values to integers of type To and writes them to `out`. Returns false if a value is
// not an integer in the range of To.
template <typename To>
bool FillIntegers(const std::vector<double>& values, OwnedTensor& out) {
  // 2^53: all integers up to this number have an exact double.
  constexpr double kExact = 9007199254740992.0;
  const double min = std::max(static_cast<double>(std::numeric_limits<To>::min()), -kExact);
  const double max = std::min(static_cast<double>(std::numeric_limits<To>::max()), kExact);
  for (const double value : values) {
    if (!(value >= min && value <= max)) return false;
  }
  Fill<To>(values, out, [](double value) { return static_cast<To>(value); });
  return true;
}

bool FillIntegers(DType dtype, const std::vector<double>& values, OwnedTensor& out) {
  switch (dtype) {
    case DType::kInt8:
      return FillIntegers<std::int8_t>(values, out);
    case DType::kUint8:
      return FillIntegers<std::uint8_t>(values, out);
    case DType::kInt16:
      return FillIntegers<std::int16_t>(values, out);
    case DType::kUint16:
      return FillIntegers<std::uint16_t>(values, out);
    case DType::kInt32:
      return FillIntegers<std::int32_t>(values, out);
    case DType::kUint32:
      return FillIntegers<std::uint32_t>(values, out);
    case DType::kInt64:
      return FillIntegers<std::int64_t>(values, out);
    case DType::kUint64:
      return FillIntegers<std::uint64_t>(values, out);
    case DType::kBool:
      return FillIntegers<bool>(values, out);
    default:
      return false;
  }
}

}  // namespace

Result<OwnedTensor> ConvertTo(DType dtype, const TensorView& given) {
  CBOARD_ASSIGN_OR_RETURN(const tensor::PlainTensor plain, tensor::PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  OwnedTensor out{.dtype = dtype, .shape = tensor.shape};
  if (dtype == tensor.dtype) {
    const auto* first = static_cast<const std::byte*>(tensor.data);
    out.elements.assign(first, first + tensor.byte_count());
    return out;
  }
  if (IsFloat(dtype) && IsFloat(tensor.dtype)) {
    if (dtype == DType::kFloat64) {
      CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(tensor));
      Fill<double>(values, out, [](double value) { return value; });
      return out;
    }
    CBOARD_ASSIGN_OR_RETURN(const std::vector<float> values, tensor::ToFloats(tensor));
    if (dtype == DType::kFloat32) {
      Fill<float>(values, out, [](float value) { return value; });
    } else {
      Fill<std::uint16_t>(values, out, dtype == DType::kFloat16 ? ToHalf : ToBfloat);
    }
    return out;
  }
  if (!IsFloat(dtype) && !IsFloat(tensor.dtype)) {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> values, tensor::ToDoubles(tensor));
    if (FillIntegers(dtype, values, out)) return out;
    return Fail(ErrorCode::kInvalidArgument,
                "the data has values of type " + std::string(NameOf(tensor.dtype)) +
                    " that are outside of the range of the model's input type " +
                    std::string(NameOf(dtype)));
  }
  return Fail(ErrorCode::kInvalidArgument,
              "the data is " + std::string(NameOf(tensor.dtype)) + ", but the model needs " +
                  std::string(NameOf(dtype)) +
                  "; convert the data as your training code does, with the same scale and offset");
}

}  // namespace cboard::runtime
