// Writes graphs whose activations stay float in the file: weights in blocks, dynamic quantization,
// float16.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cboard/quantize/plan.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Gram matrices of the inputs of matrix products, by tensor; GPTQ needs them.
using GramMatrices = std::map<std::string, const std::vector<double>*>;

// Replaces MatMul and Gemm by MatMulNBits with blocks of plan.weights[…].block_size. Weights of
// Conv and ConvTranspose get 8 bits and a scale per channel.
Graph QuantizeWeights(const Graph& graph, const Placement& placement, const Plan& plan,
                      const GramMatrices& grams);

// Returns the MatMulNBits node that replaces a MatMul or Gemm; the bias of a Gemm becomes an Add in
// `added`. `gram` is the Gram matrix for GPTQ, or null. With `has_integer_inputs`, inputs are
// rounded to 8 bits at run time.
Node MakeBlockProduct(Graph& graph, const Node& node, const Constant& weight,
                      const WeightPlan& plan, const std::vector<double>* gram,
                      bool has_integer_inputs, std::vector<Node>& added);

// Replaces MatMul and Gemm by integer products whose input range is computed at run time.
Graph QuantizeDynamically(const Graph& graph, const Placement& placement, const Plan& plan);

// Stores float constants of more than 1 KiB as float16, which are converted when the model is
// loaded.
Graph StoreAsHalf(const Graph& graph);

}  // namespace cboard::quantize
