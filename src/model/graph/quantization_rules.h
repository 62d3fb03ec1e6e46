// Builds quantization parameters and checks that scales fit their codes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Sets code_min and code_max to the range of an integer type.
void SetCodeRange(DType type, ModelQuantization& quantization);

// Constants with the scales and zero points, and a description of the codes to which they belong.
struct QuantizationSource {
  QuantizationOrigin origin = QuantizationOrigin::kQdq;
  DType type = DType::kUnknown;  // Type of the codes.
  const ModelTensor* scales = nullptr;
  const ModelTensor* zero_points = nullptr;  // Null if all are zero.
  bool has_shape = false;
  const std::vector<std::int64_t>& shape;  // Shape of the codes.
  std::int64_t axis = 0;                   // Negative values count from the end.
  std::int64_t group_size = 0;             // Group size along the axis; 0: no groups.
};

// Builds quantization parameters. Returns nullopt if the parts contradict each other: the number of
// scales does not match the shape, or the codes are not integers. Fails only with
// kResourceExhausted, from GraphAssembler::Charge.
Result<std::optional<ModelQuantization>> MakeQuantization(GraphAssembler& graph,
                                                          const QuantizationSource& source);

}  // namespace cboard::model
