// The plan of a quantized model: for each tensor and weight its bits, range and reason.
//
// A plan is data: change it and write the model again; statistics and prepared weights stay valid.
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
  // Layers that take or give the tensor then compute in float; their weights keep their codes.
  bool is_float = false;
  std::string reason;  // Why the tensor stays float, or why it has this range.
  int bits = 8;
  bool is_signed = false;
  RangeMethod method = RangeMethod::kMinMax;
  float low = 0;   // The range of values …
  float high = 0;  // … that codes represent.
  float scale = 1;
  std::int32_t zero_point = 0;
  // The tensor whose scale this one shares, because the operator between them only moves values.
  std::string shares;
  double sqnr_db = 0;  // Predicted from the histogram.
};

// Sets `scale` and `zero_point` from `low` and `high`: zero is always exact. A negative `low` with
// `is_signed` gives a symmetric range.
void SetScale(ActivationPlan& plan);

struct WeightPlan {
  std::string node;      // The name of the node, for messages.
  std::string constant;  // The constant that is quantized.
  bool is_float = false;
  std::string reason;
  int bits = 8;
  int max_code = 127;      // Codes are from -max_code to max_code.
  std::int64_t axis = -1;  // Axis of the scales; -1: one scale for the tensor.
  std::int64_t value_count = 0;
  std::vector<float> scales;
  std::vector<float> values;       // Replaces the constant's values, if not empty.
  std::vector<std::int8_t> codes;  // Replaces rounding to nearest, if not empty.
  std::size_t block_size = 0;      // Weights in blocks (MatMulNBits).
  double sqnr_db = 0;
};

struct NodePlan {
  std::string node;
  std::string op_type;
  std::size_t position = 0;                  // In the order in which nodes run.
  std::vector<std::string> inputs, outputs;  // Tensors of the prepared graph, constants included.
  bool is_quantized = false;
  std::string reason;  // Why the node stays float.
};

// A node with weights that ONNX Runtime runs in float.
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
  bool gptq = false;  // Weights in blocks are rounded by GPTQ, where its matrix is known.
  std::map<std::string, ActivationPlan> activations;  // By tensor.
  std::map<std::string, WeightPlan> weights;          // By the node's first output.
  std::map<std::string, NodePlan> nodes;              // By the node's first output.
  std::map<std::string, std::vector<float>> biases;   // By the node's first output: corrected.
};

}  // namespace cboard::quantize
