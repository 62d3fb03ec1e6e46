#include "model/onnx/onnx_block_codes.h"

#include <algorithm>
#include <utility>

#include "model/graph/node_attributes.h"
#include "model/graph/quantization_rules.h"
#include "model/graph/stored_values.h"

namespace cboard::model {
namespace {

// Returns the element type of codes with `bits` bits. Returns kUnknown for widths that these
// operators do not support.
DType TypeOfBits(std::int64_t bits) {
  return bits == 2   ? DType::kUint2
         : bits == 4 ? DType::kUint4
         : bits == 8 ? DType::kUint8
                     : DType::kUnknown;
}

bool CanRead(const BlockInputs& inputs) {
  return inputs.codes != nullptr && inputs.codes->is_constant && !inputs.codes->quantization &&
         inputs.scales != nullptr && inputs.has_zero_points == (inputs.zero_points != nullptr) &&
         inputs.has_groups == (inputs.groups != nullptr);
}

// True if column k belongs to block k / block, which is the default order.
bool AreInOrder(const ModelTensor& groups, std::int64_t columns, std::int64_t block) {
  const auto indices = IntegersOf(groups, static_cast<std::size_t>(columns));
  if (!indices || !std::cmp_equal(indices->size(), columns)) return false;
  for (std::int64_t k = 0; k < columns; ++k) {
    if ((*indices)[static_cast<std::size_t>(k)] != k / block) return false;
  }
  return true;
}

// Reads codes of `type`, row by row. In a row, every `block` columns share a scale; the last block
// of a row may have fewer columns.
Result<void> ReadRows(const BlockInputs& inputs, DType type, std::vector<std::int64_t> shape,
                      std::int64_t block, GraphAssembler& graph) {
  const std::int64_t columns = shape.back();
  const std::int64_t blocks = columns / block + (columns % block != 0 ? 1 : 0);
  const ModelTensor* zeros = inputs.zero_points;
  const bool are_packed = zeros != nullptr && zeros->type == DType::kUint8;
  CBOARD_ASSIGN_OR_RETURN(std::optional<ModelQuantization> made,
                          MakeQuantization(graph, {.origin = QuantizationOrigin::kQOperator,
                                                   .type = type,
                                                   .scales = inputs.scales,
                                                   .zero_points = are_packed ? nullptr : zeros,
                                                   .has_shape = true,
                                                   .shape = shape,
                                                   .axis = -1,
                                                   .group_size = block}));
  if (!made) return {};
  const std::size_t count = made->scales.size();
  const auto per_row = static_cast<std::size_t>(blocks);
  if (are_packed) {
    // Zero points are packed, and those of each row start at a new byte.
    const std::size_t in_byte = LayoutOf(type).elements;
    const std::size_t row_bytes = (per_row + in_byte - 1) / in_byte;
    if (zeros->data.size() != count / per_row * row_bytes) return {};
    std::vector<float> row(per_row);
    for (std::size_t i = 0; i < count; i += per_row) {
      LoadStored(type, zeros->data.subspan(i / per_row * row_bytes, row_bytes), 0, row);
      made->zero_points.insert(made->zero_points.end(), row.begin(), row.end());
    }
  } else if (zeros == nullptr) {
    made->zero_points.assign(count, static_cast<std::int32_t>((made->code_max + 1) / 2));
  } else if (ElementCount(zeros->shape) != count) {
    return {};
  }
  ModelTensor& codes = *inputs.codes;
  codes.type = type;
  codes.shape = std::move(shape);
  codes.quantization = std::move(made);
  return {};
}

}  // namespace

Result<void> ReadMatMulNBits(const ModelNode& node, const BlockInputs& inputs,
                             GraphAssembler& graph) {
  const std::int64_t rows = IntOf(node, "N", 0), columns = IntOf(node, "K", 0);
  const std::int64_t block = IntOf(node, "block_size", 32);
  const DType type = TypeOfBits(IntOf(node, "bits", 4));
  // Skips codes that were packed for the kernels of a device, because their order is not known.
  if (!CanRead(inputs) || type == DType::kUnknown || rows <= 0 || columns <= 0 || block <= 0 ||
      block % 8 != 0 || inputs.codes->type != DType::kUint8 ||
      IntOf(node, "weight_prepacked", 0) != 0) {
    return {};
  }
  const std::int64_t blocks = columns / block + (columns % block != 0 ? 1 : 0);
  if (BytesNeeded(type, {rows, blocks, block}) != inputs.codes->data.size()) return {};
  if (inputs.groups != nullptr) {
    CBOARD_RETURN_IF_ERROR(graph.Charge(inputs.groups->data.size()));
    if (!AreInOrder(*inputs.groups, columns, block)) return {};
  }
  CBOARD_RETURN_IF_ERROR(ReadRows(inputs, type, {rows, columns}, block, graph));
  if (inputs.codes->quantization && columns % block != 0) {
    inputs.codes->stored_row = static_cast<std::size_t>(blocks * block);
  }
  return {};
}

Result<void> ReadGatherBlockQuantized(const ModelNode& node, const BlockInputs& inputs,
                                      GraphAssembler& graph) {
  if (!CanRead(inputs) || ElementCount(inputs.codes->shape).value_or(0) == 0) return {};
  ModelTensor& codes = *inputs.codes;
  const auto rank = static_cast<std::int64_t>(codes.shape.size());
  const std::int64_t block = IntOf(node, "block_size", 128);
  std::int64_t axis = IntOf(node, "quantize_axis", 1);
  if (axis < 0) axis += rank;
  if (block <= 0 || axis < 0 || axis >= rank) return {};
  if (codes.type != DType::kUint8) {
    CBOARD_ASSIGN_OR_RETURN(codes.quantization,
                            MakeQuantization(graph, {.origin = QuantizationOrigin::kQOperator,
                                                     .type = codes.type,
                                                     .scales = inputs.scales,
                                                     .zero_points = inputs.zero_points,
                                                     .has_shape = true,
                                                     .shape = codes.shape,
                                                     .axis = axis,
                                                     .group_size = block}));
    return {};
  }
  const DType type = TypeOfBits(IntOf(node, "bits", 4));
  if (type == DType::kUnknown || axis + 1 != rank) return {};
  std::vector<std::int64_t> shape = codes.shape;
  shape.back() *= static_cast<std::int64_t>(LayoutOf(type).elements);
  return ReadRows(inputs, type, std::move(shape), block, graph);
}

}  // namespace cboard::model
