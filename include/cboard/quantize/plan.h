// The plan of a quantized model: bits, range and reason for each tensor and weight.
//
// A plan is data: it can be changed and the model written again. Statistics and prepared weights
// stay valid.
//
//   Plan plan = model.MakePlan();
//   plan.activations.at("conv1").is_float = true;
//   CBOARD_ASSIGN_OR_RETURN(const std::string bytes, model.Write(plan));
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cboard/quantize/quantize_options.h"

namespace cboard::quantize {

struct ActivationPlan {
  // True if the tensor stays float. Layers that read or write the tensor then compute in float;
  // their weights stay quantized.
  bool is_float = false;
  std::string reason;  // Why the tensor stays float, or why it has this range.
  int bits = 8;
  bool is_signed = false;
  RangeMethod method = RangeMethod::kMinMax;
  float low = 0;   // Lower end of the range that codes represent.
  float high = 0;  // Upper end of that range.
  float scale = 1;
  std::int32_t zero_point = 0;
  // Name of the tensor whose scale this tensor uses, because the operator between them only moves
  // values.
  std::string shares;
  double sqnr_db = 0;  // Predicted from the tensor's histogram.
};

// Computes `scale` and `zero_point` from `low` and `high` so that the value 0 has no rounding
// error. If `is_signed` is set and `low` is negative, the range is symmetric.
void SetScale(ActivationPlan& plan);

struct WeightPlan {
  std::string node;      // The name of the node, for messages.
  std::string constant;  // The constant that is quantized.
  bool is_float = false;
  std::string reason;
  int bits = 8;
  int max_code = 127;      // Codes are in -max_code … max_code.
  std::int64_t axis = -1;  // Dimension of the scales; -1: one scale for the tensor.
  std::int64_t value_count = 0;
  std::vector<float> scales;
  std::vector<float> values;       // Modified values of the constant; empty: unchanged.
  std::vector<std::int8_t> codes;  // Precomputed codes; empty: round to nearest.
  std::size_t block_size = 0;      // For weights in blocks (MatMulNBits).
  double sqnr_db = 0;
};

struct NodePlan {
  std::string node;
  std::string op_type;
  std::size_t position = 0;                  // Position in the order of execution.
  std::vector<std::string> inputs, outputs;  // Tensors of the prepared graph, including constants.
  bool is_quantized = false;
  std::string reason;  // Why the node stays float.
};

// A node with weights that ONNX Runtime runs in float although the plan quantizes it.
struct UnfusedNode {
  std::string node;
  std::string op_type;
  std::string reason;
};

// The predicted SQNR of a layer's output before and after an algorithm.
struct LayerGain {
  std::string layer;
  double before_db = 0;
  double after_db = 0;
};

struct Plan {
  Precision precision = Precision::kW8A8;
  Target target = Target::kOrtCpu;
  bool gptq = false;  // Rounds weights in blocks with GPTQ, if its matrix is known.
  std::map<std::string, ActivationPlan> activations;  // By tensor.
  std::map<std::string, WeightPlan> weights;          // By the node's first output.
  std::map<std::string, NodePlan> nodes;              // By the node's first output.
  // Corrected biases of nodes, by the node's first output.
  std::map<std::string, std::vector<float>> biases;
};

}  // namespace cboard::quantize
