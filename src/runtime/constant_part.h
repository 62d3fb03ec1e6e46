// Finds the part of a model that computes the same values for every sample. It converts the weights
// from the codes in the file to the floats that layers use.
//
//   codes, scale, zero point -> DequantizeLinear -> Transpose -> MatMul
//                               `---- the constant part ----'
//
// Without optimizations, ONNX Runtime computes this part again in every run. It is therefore run
// once, as a separate model, and its results become inputs of the rest of the model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/runtime/graph_edits.h"

namespace cboard::runtime {

struct ConstantPart {
  // The constant part, as a model without inputs. It contains QuantizeLinear and DequantizeLinear
  // nodes with constant inputs, and nodes that only rearrange or convert their results. They may
  // come from the main graph or from subgraphs.
  std::string model;
  // Names of the outputs of the constant part. They are tensors that the rest of the model uses,
  // and captured tensors.
  std::vector<std::string> outputs;
  // Nodes that the rest of the model does not need, and constants that only these nodes used.
  std::vector<RemovedTensor> removed;
};

// Returns the constant part. `outputs` is empty if there is none. All results together take at most
// `max_bytes` of memory; nodes whose results would exceed this limit stay in the rest of the model.
// Two kinds of tensors also stay there: outputs of the model or of a subgraph, and tensors whose
// name is used for another tensor in the model.
//
// Fails with kDataLoss or kInvalidArgument if `model` is not an ONNX model.
Result<ConstantPart> FindConstantPart(std::string_view model, std::span<const std::string> captured,
                                      std::size_t max_bytes);

}  // namespace cboard::runtime
