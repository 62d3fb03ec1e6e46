#include "tensor/element_reader.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cboard/tensor/convert.h"
#include "tensor/element_types.h"

namespace cboard::tensor {

ScaleLookup::ScaleLookup(const TensorView& tensor)
    : scales_(tensor.quantization->scales), zero_points_(tensor.quantization->zero_points) {
  const Quantization& quantization = *tensor.quantization;
  switch (quantization.granularity) {
    case Quantization::Granularity::kPerTensor:
      run_length_ = row_length_ = std::max<std::size_t>(tensor.element_count(), 1);
      break;
    case Quantization::Granularity::kPerChannel: {
      std::size_t inner = 1;
      for (std::size_t i = quantization.axis + 1; i < tensor.shape.size(); ++i) {
        inner *= static_cast<std::size_t>(tensor.shape[i]);
      }
      run_length_ = row_length_ = std::max<std::size_t>(inner, 1);
      break;
    }
    case Quantization::Granularity::kPerGroup:
      row_length_ = std::max<std::size_t>(static_cast<std::size_t>(tensor.shape.back()), 1);
      run_length_ = std::min(quantization.group_size, row_length_);
      break;
  }
  runs_per_row_ = (row_length_ + run_length_ - 1) / run_length_;
}

void ScaleLookup::Dequantize(std::size_t first, std::span<double> codes) const {
  if (run_length_ > 1) {
    double* value = codes.data();
    ForEachRun(first, first + codes.size(), [&](const QuantizedRun& run) {
      for (const double* end = value + run.count; value != end; ++value) {
        *value = (*value - run.zero_point) * run.scale;
      }
    });
    return;
  }
  // Here every element has another scale than its neighbours, as in matrices that are quantized by
  // column. Iterates over consecutive scales, because there are no runs of elements with the same
  // scale.
  for (std::size_t scale = first % scales_.size(); !codes.empty(); scale = 0) {
    const auto part = codes.first(std::min(codes.size(), scales_.size() - scale));
    codes = codes.subspan(part.size());
    if (!zero_points_.empty()) {
      const std::int32_t* zero_points = zero_points_.data() + scale;
      for (std::size_t i = 0; i < part.size(); ++i) part[i] -= zero_points[i];
    }
    const float* scales = scales_.data() + scale;
    for (std::size_t i = 0; i < part.size(); ++i) part[i] *= static_cast<double>(scales[i]);
  }
}

namespace {

template <typename Real>
void ReadElements(DType dtype, const void* elements, std::size_t first, std::span<Real> out) {
  VisitElementType(dtype, [&](auto example) {
    using Element = decltype(example);
    if constexpr (std::is_same_v<Element, Real>) {  // Elements may be unaligned in a file.
      if (out.empty()) return;
      std::memcpy(out.data(), static_cast<const std::byte*>(elements) + first * sizeof(Real),
                  out.size_bytes());
      return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = ValueOf<Real>(LoadElement<Element>(elements, first + i));
    }
  });
}

// Reads elements of `kBits` bits each. The first element of a byte is in its lowest bits.
template <std::size_t kBits, typename Convert>
void ReadPacked(const void* elements, std::size_t first, std::span<float> out,
                const Convert& convert) {
  constexpr std::size_t kPerByte = 8 / kBits;
  const auto* bytes = static_cast<const std::uint8_t*>(elements);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = first + i;
    const unsigned byte = bytes[at / kPerByte];
    out[i] = convert(byte >> (at % kPerByte * kBits) & ((1u << kBits) - 1));
  }
}

float Signed4(unsigned bits) { return static_cast<float>(static_cast<int>(bits ^ 8u) - 8); }
float Signed2(unsigned bits) { return static_cast<float>(static_cast<int>(bits ^ 2u) - 2); }
float Unsigned(unsigned bits) { return static_cast<float>(bits); }

template <typename Convert>
void ReadBytes(const void* elements, std::size_t first, std::span<float> out,
               const Convert& convert) {
  const auto* bytes = static_cast<const std::uint8_t*>(elements) + first;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = convert(bytes[i]);
}

}  // namespace

void ReadDoubles(const TensorView& tensor, std::size_t first, std::span<double> out) {
  ReadElements(tensor.dtype, tensor.data, first, out);
  if (tensor.quantization) ScaleLookup(tensor).Dequantize(first, out);
}

bool FitsFloat32(const TensorView& tensor) {
  if (tensor.quantization) return false;
  switch (tensor.dtype) {
    case DType::kFloat64:
    case DType::kInt32:
    case DType::kUint32:
    case DType::kInt64:
    case DType::kUint64:
      return false;
    default:
      return true;
  }
}

void ReadFloats(const TensorView& tensor, std::size_t first, std::span<float> out) {
  LoadFloats(tensor.dtype, tensor.data, first, out);
}

void LoadFloats(DType dtype, const void* elements, std::size_t first, std::span<float> out) {
  switch (dtype) {
    case DType::kFloat16:
      return HalvesToFloats(static_cast<const std::byte*>(elements) + 2 * first, out);
    case DType::kFloat8E4m3fn:
      return ReadBytes(elements, first, out, Float8E4m3fnToFloat);
    case DType::kFloat8E4m3fnuz:
      return ReadBytes(elements, first, out, Float8E4m3fnuzToFloat);
    case DType::kFloat8E5m2:
      return ReadBytes(elements, first, out, Float8E5m2ToFloat);
    case DType::kFloat8E5m2fnuz:
      return ReadBytes(elements, first, out, Float8E5m2fnuzToFloat);
    case DType::kFloat8E8m0:
      return ReadBytes(elements, first, out, Float8E8m0ToFloat);
    case DType::kFloat4E2m1:
      return ReadPacked<4>(elements, first, out, Float4E2m1ToFloat);
    case DType::kInt4:
      return ReadPacked<4>(elements, first, out, Signed4);
    case DType::kUint4:
      return ReadPacked<4>(elements, first, out, Unsigned);
    case DType::kInt2:
      return ReadPacked<2>(elements, first, out, Signed2);
    case DType::kUint2:
      return ReadPacked<2>(elements, first, out, Unsigned);
    default:
      return ReadElements(dtype, elements, first, out);
  }
}

}  // namespace cboard::tensor
