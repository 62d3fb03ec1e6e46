// Checks that scales fit the codes they belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// The codes that an integer type can hold.
void SetCodeRange(DType type, ModelQuantization& quantization);

// Scales and zero points as constants, and the codes they are for.
struct QuantizationSource {
  QuantizationOrigin origin = QuantizationOrigin::kQdq;
  DType type = DType::kUnknown;  // Type of the codes.
  const ModelTensor* scales = nullptr;
  const ModelTensor* zero_points = nullptr;  // Null: all zero.
  bool has_shape = false;
  const std::vector<std::int64_t>& shape;  // Shape of the codes.
  std::int64_t axis = 0;                   // From the end when negative.
  std::int64_t group_size = 0;             // Above 0: groups along the axis.
};

// nullopt if they do not fit: the number of scales does not match the shape, or the codes are not
// integers. Fails only with kResourceExhausted, from GraphAssembler::Charge.
Result<std::optional<ModelQuantization>> MakeQuantization(GraphAssembler& graph,
                                                          const QuantizationSource& source);

}  // namespace cboard::model
