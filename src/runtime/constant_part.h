// The part of a model that computes the same for every sample: weights on their way from the codes
// in the file to the numbers that layers take.
//
//   codes, scale, zero point -> DequantizeLinear -> Transpose -> MatMul
//                               `---- the constant part ----'
//
// ONNX Runtime computes it again in every run, unless its optimizations are on. So it is run once,
// as a model of its own, and what it gives becomes inputs of the rest.
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
  // QuantizeLinear and DequantizeLinear of constants, and what only turns their results around or
  // converts them, in the main graph and in bodies. A model without inputs; its outputs are …
  std::string model;
  // … what the rest takes from them, and those of them that were asked for.
  std::vector<std::string> outputs;
  // Parts that the rest does not need: these nodes, and the constants that only they used.
  std::vector<RemovedTensor> removed;
};

// Empty of outputs where there is nothing to compute once. Results together take at most
// `max_bytes`; nodes whose results would be beyond that stay in the rest. Tensors whose names stand
// for something else elsewhere in the model, and outputs of the model or of a body, stay there,
// too.
//
// Fails with kDataLoss or kInvalidArgument when `model` is not an ONNX model.
Result<ConstantPart> FindConstantPart(std::string_view model, std::span<const std::string> captured,
                                      std::size_t max_bytes);

}  // namespace cboard::runtime
