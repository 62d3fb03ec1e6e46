#include "model/graph/stored_values.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cboard/tensor/convert.h"
#include "model/graph/graph_assembler.h"
#include "model/storage/ggml_blocks.h"
#include "model/storage/small_floats.h"

namespace cboard::model {
namespace {

template <typename T>
void LoadNumbers(ByteSpan data, std::size_t first, std::span<float> out) {
  ByteSpan rest = data.subspan(first * sizeof(T));
  if constexpr (std::is_same_v<T, float>) {
    if (!out.empty()) std::memcpy(out.data(), rest.data(), out.size_bytes());
    return;
  }
  for (float& value : out) {
    value = static_cast<float>(LoadLittleEndian<T>(rest));
    rest = rest.subspan(sizeof(T));
  }
}

template <typename Bits, typename Convert>
void LoadConverted(ByteSpan data, std::size_t first, std::span<float> out, const Convert& convert) {
  ByteSpan rest = data.subspan(first * sizeof(Bits));
  for (float& value : out) {
    value = convert(LoadLittleEndian<Bits>(rest));
    rest = rest.subspan(sizeof(Bits));
  }
}

// Elements of `kBits` bits, the first one in the lowest bits of its byte.
template <int kBits, typename Convert>
void LoadPacked(ByteSpan data, std::size_t first, std::span<float> out, const Convert& convert) {
  constexpr std::size_t kPerByte = 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t element = first + i;
    const auto byte = std::to_integer<unsigned>(data[element / kPerByte]);
    out[i] = convert(byte >> (element % kPerByte * kBits) & kMask);
  }
}

float Signed4(unsigned bits) { return static_cast<float>(static_cast<int>(bits ^ 8u) - 8); }
float Signed2(unsigned bits) { return static_cast<float>(static_cast<int>(bits ^ 2u) - 2); }
float Unsigned(unsigned bits) { return static_cast<float>(bits); }

template <typename T>
std::vector<std::int64_t> LoadIntegers(ByteSpan data) {
  std::vector<std::int64_t> values(data.size() / sizeof(T));
  for (std::int64_t& value : values) {
    value = static_cast<std::int64_t>(LoadLittleEndian<T>(data));
    data = data.subspan(sizeof(T));
  }
  return values;
}

// The number of elements of a constant that is small enough and stored as numbers.
std::optional<std::size_t> SmallCount(const ModelTensor& tensor, std::size_t max_count) {
  if (!tensor.is_constant || !HoldsRealNumbers(tensor.type)) return std::nullopt;
  const std::optional<std::uint64_t> count = ElementCount(tensor.shape);
  if (!count || *count > max_count) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

}  // namespace

void LoadStored(ElementType type, ByteSpan data, std::size_t first, std::span<float> out) {
  switch (type) {
    case ElementType::kFloat32:
      return LoadNumbers<float>(data, first, out);
    case ElementType::kFloat64:
      return LoadNumbers<double>(data, first, out);
    case ElementType::kFloat16:
      return tensor::HalvesToFloats(data.subspan(first * sizeof(std::uint16_t)).data(), out);
    case ElementType::kBfloat16:
      return LoadConverted<std::uint16_t>(data, first, out, tensor::BfloatToFloat);
    case ElementType::kFloat8E4m3fn:
      return LoadConverted<std::uint8_t>(data, first, out, Float8E4m3fnToFloat);
    case ElementType::kFloat8E4m3fnuz:
      return LoadConverted<std::uint8_t>(data, first, out, Float8E4m3fnuzToFloat);
    case ElementType::kFloat8E5m2:
      return LoadConverted<std::uint8_t>(data, first, out, Float8E5m2ToFloat);
    case ElementType::kFloat8E5m2fnuz:
      return LoadConverted<std::uint8_t>(data, first, out, Float8E5m2fnuzToFloat);
    case ElementType::kFloat8E8m0:
      return LoadConverted<std::uint8_t>(data, first, out, Float8E8m0ToFloat);
    case ElementType::kFloat4E2m1:
      return LoadPacked<4>(data, first, out, Float4E2m1ToFloat);
    case ElementType::kInt4:
      return LoadPacked<4>(data, first, out, Signed4);
    case ElementType::kUint4:
      return LoadPacked<4>(data, first, out, Unsigned);
    case ElementType::kInt2:
      return LoadPacked<2>(data, first, out, Signed2);
    case ElementType::kUint2:
      return LoadPacked<2>(data, first, out, Unsigned);
    case ElementType::kInt8:
      return LoadNumbers<std::int8_t>(data, first, out);
    case ElementType::kUint8:
      return LoadNumbers<std::uint8_t>(data, first, out);
    case ElementType::kInt16:
      return LoadNumbers<std::int16_t>(data, first, out);
    case ElementType::kUint16:
      return LoadNumbers<std::uint16_t>(data, first, out);
    case ElementType::kInt32:
      return LoadNumbers<std::int32_t>(data, first, out);
    case ElementType::kUint32:
      return LoadNumbers<std::uint32_t>(data, first, out);
    case ElementType::kInt64:
      return LoadNumbers<std::int64_t>(data, first, out);
    case ElementType::kUint64:
      return LoadNumbers<std::uint64_t>(data, first, out);
    case ElementType::kBool:
      return LoadConverted<std::uint8_t>(data, first, out,
                                         [](std::uint8_t byte) { return byte != 0 ? 1.f : 0.f; });
    default:
      return ReadBlocks(type, data, first, out);
  }
}

std::optional<std::vector<float>> FloatsOf(const ModelTensor& tensor, std::size_t max_count) {
  const std::optional<std::size_t> count = SmallCount(tensor, max_count);
  if (!count) return std::nullopt;
  const ElementLayout layout = LayoutOf(tensor.type);
  const std::size_t stored = std::min(*count, tensor.data.size() / layout.bytes * layout.elements);
  std::vector<float> values(stored);
  LoadStored(tensor.type, tensor.data, 0, values);
  if (stored < *count) values.resize(*count, stored == 0 ? 0.f : values.back());
  return values;
}

std::optional<std::vector<std::int64_t>> IntegersOf(const ModelTensor& tensor,
                                                    std::size_t max_count) {
  const std::optional<std::size_t> count = SmallCount(tensor, max_count);
  if (!count || !IsInteger(tensor.type)) return std::nullopt;
  std::vector<std::int64_t> values;
  switch (tensor.type) {
    case ElementType::kInt64:
    case ElementType::kUint64:
      values = LoadIntegers<std::int64_t>(tensor.data);
      break;
    case ElementType::kInt32:
      values = LoadIntegers<std::int32_t>(tensor.data);
      break;
    case ElementType::kUint32:
      values = LoadIntegers<std::uint32_t>(tensor.data);
      break;
    default: {  // Up to sixteen bits, which a float holds.
      const std::optional<std::vector<float>> floats = FloatsOf(tensor, max_count);
      values.assign(floats->begin(), floats->end());
    }
  }
  if (values.size() < *count) values.resize(*count, values.empty() ? 0 : values.back());
  return values;
}

}  // namespace cboard::model
