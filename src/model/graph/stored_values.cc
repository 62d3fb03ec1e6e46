#include "model/graph/stored_values.h"

#include <algorithm>

#include "cboard/tensor/convert.h"
#include "model/graph/graph_assembler.h"
#include "model/storage/ggml_blocks.h"

namespace cboard::model {
namespace {

template <typename T>
std::vector<std::int64_t> LoadIntegers(ByteSpan data) {
  std::vector<std::int64_t> values(data.size() / sizeof(T));
  for (std::int64_t& value : values) {
    value = static_cast<std::int64_t>(LoadLittleEndian<T>(data));
    data = data.subspan(sizeof(T));
  }
  return values;
}

// Returns the number of elements of a constant. Returns nullopt if it has more than `max_count`
// elements or is not numeric.
std::optional<std::size_t> SmallCount(const ModelTensor& tensor, std::size_t max_count) {
  if (!tensor.is_constant || !HoldsRealNumbers(tensor.type)) return std::nullopt;
  const std::optional<std::uint64_t> count = ElementCount(tensor.shape);
  if (!count || *count > max_count) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

}  // namespace

void LoadStored(DType type, ByteSpan data, std::size_t first, std::span<float> out) {
  if (IsBlockType(type)) return ReadBlocks(type, data, first, out);
  tensor::LoadFloats(type, data.data(), first, out);
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
    case DType::kInt64:
    case DType::kUint64:
      values = LoadIntegers<std::int64_t>(tensor.data);
      break;
    case DType::kInt32:
      values = LoadIntegers<std::int32_t>(tensor.data);
      break;
    case DType::kUint32:
      values = LoadIntegers<std::uint32_t>(tensor.data);
      break;
    default: {  // Types of up to 16 bits, which float can represent.
      const std::optional<std::vector<float>> floats = FloatsOf(tensor, max_count);
      values.assign(floats->begin(), floats->end());
    }
  }
  if (values.size() < *count) values.resize(*count, values.empty() ? 0 : values.back());
  return values;
}

}  // namespace cboard::model
