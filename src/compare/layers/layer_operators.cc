#include "compare/layers/layer_operators.h"

#include <algorithm>
#include <array>
#include <span>

#include "compare/layers/unread_weights.h"

namespace cboard::compare {
namespace {

enum class Layout {
  kRowsFirst,        // [out, in], [out, in, height, width]: ONNX, OpenVINO.
  kRowsSecond,       // [in, out, height, width]: transposed convolutions.
  kRowsLast,         // [in, out]; more dimensions may come before them.
  kOhwi,             // TFLite: [out, height, width, in].
  kHwio,             // TensorFlow: [height, width, in, out].
  kHwcm,             // TensorFlow, depthwise: [height, width, channels, multiplier].
  kOhwiDepthwise,    // TFLite: [1, height, width, channels].
  kRecurrent,        // [directions, out, in], where `out` includes all gates.
  kRecurrentTurned,  // [directions, in, out].
  kSequence,         // OpenVINO: [directions, out, in]; its bias is the sum of ONNX's two.
  kCell,             // OpenVINO: [out, in], a single direction.
  kGate,             // TFLite: [out, in], a single gate.
  kTable,            // Embeddings: [entries, out]; indices select entries.
};

// Number of inputs of TFLite's LSTM, except its basic kernel, which has another weight layout.
constexpr std::size_t kFullLstm = 20;

// One kind of weights of an operator. An operator with several weights has several adjacent entries
// in the table.
struct WeightedOp {
  std::string_view op;
  std::size_t weight;
  std::size_t bias;  // 0: no bias.
  Layout layout;
  std::string_view part = {};
  std::size_t inputs = 0;  // Minimum number of inputs of the operator; 0: any.
};
constexpr WeightedOp kOps[] = {
    // The weights of ONNX operators.
    {"Conv", 1, 2, Layout::kRowsFirst},
    {"ConvTranspose", 1, 2, Layout::kRowsSecond},
    {"Gemm", 1, 2, Layout::kRowsLast},
    {"MatMul", 1, 0, Layout::kRowsLast},  // Also in TensorFlow and OpenVINO.
    {"QLinearConv", 3, 8, Layout::kRowsFirst},
    {"QLinearMatMul", 3, 0, Layout::kRowsLast},
    {"QGemm", 3, 6, Layout::kRowsLast},
    {"MatMulInteger", 1, 0, Layout::kRowsLast},
    {"ConvInteger", 1, 0, Layout::kRowsFirst},
    {"MatMulNBits", 1, 0, Layout::kRowsFirst},
    {"DynamicQuantizeMatMul", 1, 4, Layout::kRowsLast},
    {"FusedConv", 1, 2, Layout::kRowsFirst},
    {"FusedMatMul", 1, 0, Layout::kRowsLast},
    {"Gather", 0, 0, Layout::kTable},  // Also in OpenVINO.
    {"GatherBlockQuantized", 0, 0, Layout::kTable},
    {"LSTM", 1, 3, Layout::kRecurrent, "W"},
    {"LSTM", 2, 3, Layout::kRecurrent, "R"},
    // TFLite's LSTM operator, which computes one step of UNIDIRECTIONAL_SEQUENCE_LSTM.
    {"LSTM", 1, 12, Layout::kGate, "input_to_input", kFullLstm},
    {"LSTM", 2, 13, Layout::kGate, "input_to_forget", kFullLstm},
    {"LSTM", 3, 14, Layout::kGate, "input_to_cell", kFullLstm},
    {"LSTM", 4, 15, Layout::kGate, "input_to_output", kFullLstm},
    {"LSTM", 5, 0, Layout::kGate, "recurrent_to_input", kFullLstm},
    {"LSTM", 6, 0, Layout::kGate, "recurrent_to_forget", kFullLstm},
    {"LSTM", 7, 0, Layout::kGate, "recurrent_to_cell", kFullLstm},
    {"LSTM", 8, 0, Layout::kGate, "recurrent_to_output", kFullLstm},
    {"LSTM", 16, 17, Layout::kGate, "projection", kFullLstm},
    {"GRU", 1, 3, Layout::kRecurrent, "W"},
    {"GRU", 2, 3, Layout::kRecurrent, "R"},
    {"RNN", 1, 3, Layout::kRecurrent, "W"},
    {"RNN", 2, 3, Layout::kRecurrent, "R"},
    {"DynamicQuantizeLSTM", 1, 3, Layout::kRecurrentTurned, "W"},
    {"DynamicQuantizeLSTM", 2, 3, Layout::kRecurrentTurned, "R"},
    // The weights of OpenVINO operators.
    {"Convolution", 1, 0, Layout::kRowsFirst},
    {"GroupConvolution", 1, 0, Layout::kRowsFirst},
    {"LSTMSequence", 4, 6, Layout::kSequence, "W"},
    {"LSTMSequence", 5, 0, Layout::kSequence, "R"},
    {"GRUSequence", 3, 5, Layout::kSequence, "W"},
    {"GRUSequence", 4, 0, Layout::kSequence, "R"},
    {"RNNSequence", 3, 5, Layout::kSequence, "W"},
    {"RNNSequence", 4, 0, Layout::kSequence, "R"},
    {"LSTMCell", 3, 5, Layout::kCell, "W"},
    {"LSTMCell", 4, 0, Layout::kCell, "R"},
    {"GRUCell", 2, 4, Layout::kCell, "W"},
    {"GRUCell", 3, 0, Layout::kCell, "R"},
    {"RNNCell", 2, 4, Layout::kCell, "W"},
    {"RNNCell", 3, 0, Layout::kCell, "R"},
    // The weights of TensorFlow operators.
    {"Conv2D", 1, 0, Layout::kHwio},
    {"DepthwiseConv2dNative", 1, 0, Layout::kHwcm},
    {"BatchMatMulV2", 1, 0, Layout::kRowsLast},
    {"GatherV2", 0, 0, Layout::kTable},
    // The weights of TFLite operators.
    {"CONV_2D", 1, 2, Layout::kOhwi},
    {"DEPTHWISE_CONV_2D", 1, 2, Layout::kOhwiDepthwise},
    {"FULLY_CONNECTED", 1, 2, Layout::kRowsFirst},
    {"EMBEDDING_LOOKUP", 1, 0, Layout::kTable},
    {"GATHER", 0, 0, Layout::kTable},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", 1, 3, Layout::kRowsFirst, "input"},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", 2, 0, Layout::kRowsFirst, "recurrent"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 1, 12, Layout::kRowsFirst, "input_to_input"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 2, 13, Layout::kRowsFirst, "input_to_forget"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 3, 14, Layout::kRowsFirst, "input_to_cell"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 4, 15, Layout::kRowsFirst, "input_to_output"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 5, 0, Layout::kRowsFirst, "recurrent_to_input"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 6, 0, Layout::kRowsFirst, "recurrent_to_forget"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 7, 0, Layout::kRowsFirst, "recurrent_to_cell"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 8, 0, Layout::kRowsFirst, "recurrent_to_output"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 16, 17, Layout::kRowsFirst, "projection"},
};
// TensorFlow's fused operators. Their names also contain the operators that follow:
// QuantizedConv2DWithBiasAndReluAndRequantize.
constexpr WeightedOp kFusedOps[] = {
    {"QuantizedConv2D", 1, 2, Layout::kHwio},
    {"QuantizedDepthwiseConv2D", 1, 2, Layout::kHwcm},
    {"QuantizedMatMul", 1, 2, Layout::kRowsLast},
};

std::span<const WeightedOp> FindRows(std::string_view op_type) {
  const auto* first = std::ranges::find(kOps, op_type, &WeightedOp::op);
  const auto* last = std::find_if(first, std::end(kOps),
                                  [&](const WeightedOp& each) { return each.op != op_type; });
  if (first != last) return {first, last};
  const auto* fused = std::ranges::find_if(
      kFusedOps, [&](const WeightedOp& candidate) { return op_type.starts_with(candidate.op); });
  if (fused == std::end(kFusedOps)) return {};
  return {fused, 1};
}

bool IsTransposed(const model::ModelNode& node) {
  for (const std::string_view key : {"transB", "transpose_b", "adj_y"}) {
    const model::AttributeValue* value = node.FindAttribute(key);
    if (value == nullptr) continue;
    if (const auto* flag = std::get_if<std::int64_t>(value)) return *flag != 0;
    if (const auto* text = std::get_if<std::string>(value)) return *text == "true" || *text == "1";
  }
  return false;
}

// Returns true if a Gather selects rows of the table. Its axis is an attribute or the third input,
// and 0 by default.
bool ChoosesRows(const model::ModelGraph& model, const model::ModelNode& node) {
  const model::AttributeValue* attribute =
      node.FindAttribute(node.op_type == "GatherBlockQuantized" ? "gather_axis" : "axis");
  if (const auto* axis = attribute == nullptr ? nullptr : std::get_if<std::int64_t>(attribute)) {
    return *axis == 0 || *axis == -2;
  }
  const bool has_axis_input = node.op_type == "GatherV2" || node.op_type == "Gather";
  if (!has_axis_input || node.inputs.size() < 3) return true;
  if (!model.IsWeight(node.inputs[2])) return false;
  const auto axis = model.ReadWeights(node.inputs[2], 1);
  return axis && axis->size() == 1 && (axis->front() == 0 || axis->front() == -2);
}

// Returns the order in which rows of gates must be read to get ONNX's order of LSTM gates: i, o, f,
// c. OpenVINO stores f, i, c, o. For other recurrent operators, both formats have the same order.
std::vector<ChannelRun> GateOrderOf(std::string_view op_type, std::int64_t channels) {
  if (!op_type.starts_with("LSTM") || channels <= 0 || channels % 4 != 0) return {};
  const auto size = static_cast<std::size_t>(channels) / 4;
  return {{size, size}, {3 * size, size}, {0, size}, {2 * size, size}};
}

// Returns the weights that a table entry describes; nullopt if the node has no such weights.
std::optional<OperatorWeights> WeightsIn(const model::ModelGraph& model,
                                         const model::ModelNode& node, const WeightedOp& row) {
  if (node.inputs.size() <= row.weight || node.inputs[row.weight] == model::kNoTensor)
    return std::nullopt;
  if (node.inputs.size() < row.inputs) return std::nullopt;
  const std::vector<std::int64_t>& shape = model.tensor(node.inputs[row.weight]).shape;
  const std::size_t rank = shape.size();
  if (rank < 2) return std::nullopt;
  if (HasUnreadWeights(model, node)) return std::nullopt;
  OperatorWeights weights{.part = row.part, .weight = row.weight};
  // The names of fused operators tell whether the node has a bias.
  const bool is_whole_name = node.op_type == row.op;
  const bool has_bias = is_whole_name || node.op_type.find("WithBias") != std::string::npos;
  if (row.bias > 0 && has_bias) weights.bias = row.bias;
  WeightLayout& layout = weights.layout;
  switch (row.layout) {
    case Layout::kRowsFirst:
      break;
    case Layout::kRowsSecond:
      layout.channel_axis = 1;
      break;
    case Layout::kRowsLast:
      layout.channel_axis = IsTransposed(node) ? rank - 2 : rank - 1;
      break;
    case Layout::kOhwi:
      if (rank == 4) layout.input_axis = 3;
      break;
    case Layout::kHwio:
      layout.channel_axis = rank - 1;
      if (rank == 4) layout.input_axis = 2;
      break;
    case Layout::kHwcm:
      layout.channel_axis = rank == 4 ? 2 : rank - 1;
      break;
    case Layout::kOhwiDepthwise:
      layout.channel_axis = rank - 1;
      break;
    case Layout::kRecurrent:
    case Layout::kRecurrentTurned:
      if (rank != 3) return std::nullopt;  // The node is an LSTM or RNN of TFLite.
      layout.channel_axis = row.layout == Layout::kRecurrent ? 1 : 2;
      layout.direction_axis = 0;
      // The bias halves are in the order of the weights, W and R.
      weights.bias_half = row.weight - 1;
      break;
    case Layout::kSequence:
      if (rank != 3) return std::nullopt;
      layout.channel_axis = 1;
      layout.direction_axis = 0;
      layout.channel_order = GateOrderOf(node.op_type, shape[1]);
      break;
    case Layout::kCell:
      if (rank != 2) return std::nullopt;
      layout.channel_order = GateOrderOf(node.op_type, shape[0]);
      break;
    case Layout::kGate:
      if (rank != 2) return std::nullopt;  // The node is an LSTM of ONNX.
      break;
    case Layout::kTable: {
      // A table of integers contains positions, shapes or masks and no weights, unless it is
      // quantized.
      const model::ModelTensor& table = model.tensor(node.inputs[row.weight]);
      const bool is_real =
          HoldsRealNumbers(table.type) && !IsInteger(table.type) && table.type != DType::kBool;
      const bool is_weight = table.quantization || is_real;
      if (rank != 2 || !is_weight || !ChoosesRows(model, node)) return std::nullopt;
      layout.channel_axis = 1;
      weights.is_table = true;
      break;
    }
  }
  return weights;
}

}  // namespace

std::vector<OperatorWeights> WeightsOf(const model::ModelGraph& model,
                                       const model::ModelNode& node) {
  std::vector<OperatorWeights> all;
  for (const WeightedOp& row : FindRows(node.op_type)) {
    if (auto weights = WeightsIn(model, node, row)) all.push_back(*std::move(weights));
  }
  return all;
}

bool PassesValues(std::string_view op_type) {
  constexpr auto kPassing = std::to_array<std::string_view>(
      {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Slice", "Split",
       "Gather", "MaxPool", "Dropout", "DepthToSpace", "SpaceToDepth", "Expand", "Tile"});
  return std::ranges::find(kPassing, op_type) != kPassing.end();
}

}  // namespace cboard::compare
