// Graphs whose activations stay float in the file: weights in blocks, dynamic quantization,
// float16.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cboard/quantize/plan.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Gram matrices of the inputs of matrix products, by tensor; for GPTQ.
using GramMatrices = std::map<std::string, const std::vector<double>*>;

// Weights of MatMul and Gemm become MatMulNBits with blocks of plan.weights[…].block_size; those of
// Conv and ConvTranspose have 8 bits and a scale per channel.
Graph QuantizeWeights(const Graph& graph, const Placement& placement, const Plan& plan,
                      const GramMatrices& grams);

// The MatMulNBits node that replaces a MatMul or Gemm; a bias of Gemm becomes an Add in `added`.
// `gram` is the matrix for GPTQ, or null. With `has_integer_inputs`, inputs become 8 bits at run
// time.
Node MakeBlockProduct(Graph& graph, const Node& node, const Constant& weight,
                      const WeightPlan& plan, const std::vector<double>* gram,
                      bool has_integer_inputs, std::vector<Node>& added);

// MatMul and Gemm multiply integers; the range of their input is found at run time.
Graph QuantizeDynamically(const Graph& graph, const Placement& placement, const Plan& plan);

// Float constants of more than 1 KiB are stored as float16 and converted when the model is loaded.
Graph StoreAsHalf(const Graph& graph);

}  // namespace cboard::quantize
