// Finds reasons why a quantized model is not faster, in the graph that ONNX Runtime executes: nodes
// that are still float, and the time that they take.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/benchmark/why_slower.h"

namespace cboard::benchmark {
namespace {

constexpr std::size_t kMaxNodes = 10;
constexpr double kMinShare = 0.02;  // Minimum share of the time for a reason.

bool IsOneOf(std::string_view op_type, std::span<const std::string_view> list) {
  return std::ranges::find(list, op_type) != list.end();
}

// Matrix products and convolutions in float, which would be faster in INT8.
constexpr std::array<std::string_view, 10> kFloatProducts = {
    "Conv", "FusedConv", "ConvTranspose", "MatMul", "FusedMatMul",
    "Gemm", "FusedGemm", "LSTM",          "GRU",    "Attention"};

// Operators of dynamic quantization: their input is quantized again in each run.
constexpr std::array<std::string_view, 6> kDynamicOperators = {
    "DynamicQuantizeMatMul", "DynamicQuantizeLSTM", "DynamicQuantizeLinear",
    "MatMulIntegerToFloat",  "MatMulInteger",       "ConvInteger"};

constexpr std::array<std::string_view, 8> kInt8Products = {
    "QLinearConv",         "QLinearMatMul",       "QGemm",
    "MatMulInteger",       "ConvInteger",         "DynamicQuantizeMatMul",
    "DynamicQuantizeLSTM", "MatMulIntegerToFloat"};

// Operators with weights in blocks of few bits, each with its own scale.
constexpr std::array<std::string_view, 3> kBlockOperators = {"MatMulNBits", "MatMulBnb4",
                                                             "GatherBlockQuantized"};

// Operators that ONNX Runtime executes in INT8 on CPUs if QuantizeLinear and DequantizeLinear are
// around them.
constexpr std::array<std::string_view, 25> kFusedOperators = {"Conv",
                                                              "FusedConv",
                                                              "MatMul",
                                                              "FusedMatMul",
                                                              "Gemm",
                                                              "FusedGemm",
                                                              "Add",
                                                              "Mul",
                                                              "Sigmoid",
                                                              "LeakyRelu",
                                                              "GlobalAveragePool",
                                                              "AveragePool",
                                                              "Concat",
                                                              "Softmax",
                                                              "Where",
                                                              "MaxPool",
                                                              "Reshape",
                                                              "Transpose",
                                                              "Squeeze",
                                                              "Unsqueeze",
                                                              "Flatten",
                                                              "Gather",
                                                              "Slice",
                                                              "Resize",
                                                              "Split"};

bool IsQuantizer(const model::ModelNode& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear";
}

bool IsQuantized(std::string_view op_type) {
  return op_type == "QuantizeLinear" || op_type == "DequantizeLinear" ||
         IsOneOf(op_type, kInt8Products) || op_type.starts_with("QLinear") ||
         IsOneOf(op_type, kBlockOperators);
}

std::string Percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * share))) + " %";
}

std::string ListOf(const std::vector<std::string>& nodes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size() && i < 3; ++i) {
    text += (text.empty() ? "" : ", ") + Quoted(nodes[i]);
  }
  return text + (count > 3 ? ", …" : "");
}

class GraphReader {
 public:
  GraphReader(const ModelProfile& profile, const MachineInfo& machine)
      : profile_(profile),
        graph_(profile.graph()),
        machine_(machine),
        total_us_(profile.TotalUs()) {
    for (const ProfiledNode& node : profile.nodes()) {
      us_[node.name] = node.median_us;
      is_quantized_ = is_quantized_ || IsQuantized(node.op_type);  // Also in graphs of If and Loop.
    }
    for (const model::ModelNode& node : graph_.nodes()) {
      is_quantized_ = is_quantized_ || IsQuantized(node.op_type);
      const bool is_dequantizer = node.op_type == "DequantizeLinear";
      const bool is_weight =
          is_dequantizer && !node.inputs.empty() && graph_.IsWeight(node.inputs[0]);
      if (IsQuantized(node.op_type) && !IsOneOf(node.op_type, kBlockOperators) && !is_weight) {
        has_quantized_activations_ = true;
      }
    }
  }

  std::vector<SlowReason> Reasons(double baseline_us, const ModelProfile& baseline) {
    if (!(total_us_ > 0)) return {};
    if (!is_quantized_) return FindUnchanged(baseline);
    FindDynamic();
    FindBlocks();
    FindUnfused();
    FindSmall(baseline_us);
    FindInstructions();
    std::ranges::stable_sort(reasons_, std::greater(), &SlowReason::share);
    return std::move(reasons_);
  }

 private:
  // Nodes that are slow for the same reason.
  struct Found {
    std::vector<const model::ModelNode*> nodes;
    // QuantizeLinear and DequantizeLinear around the nodes.
    std::set<const model::ModelNode*> quantizers;
    std::set<std::string> op_types;
  };

  // Returns a reason if the variant executes the same operators as the baseline, because nothing is
  // quantized.
  std::vector<SlowReason> FindUnchanged(const ModelProfile& baseline) {
    const auto counts = [](const ModelProfile& profile) {
      std::map<std::string, std::size_t> by_type;
      for (const ProfiledNode& node : profile.nodes()) ++by_type[node.op_type];
      return by_type;
    };
    if (counts(baseline) != counts(profile_)) return {};
    return {{.cause = SlowCause::kNotQuantized,
             .nodes = {},
             .share = 1,
             .explanation =
                 "not quantized: all " + std::to_string(profile_.nodes().size()) +
                 " operators are float, and the same as those of the baseline. Weights that are "
                 "zero or rounded do not make ONNX Runtime faster, and quantizers leave out "
                 "operators inside If and Loop: look at what was quantized with compression-board "
                 "model FILE"}};
  }

  double UsOf(const model::ModelNode& node) const {
    const auto found = us_.find(node.name);
    return found == us_.end() ? 0 : found->second;
  }

  const model::ModelNode* ProducerOf(model::TensorId tensor) const {
    if (tensor == model::kNoTensor) return nullptr;
    const model::NodeId producer = graph_.tensor(tensor).producer;
    return producer == model::kNoNode ? nullptr : &graph_.node(producer);
  }

  void Add(SlowCause cause, Found found, double extra_us, const std::string& explanation) {
    if (found.nodes.empty()) return;
    double us = extra_us;
    for (const model::ModelNode* node : found.nodes) us += UsOf(*node);
    for (const model::ModelNode* node : found.quantizers) us += UsOf(*node);
    std::ranges::stable_sort(found.nodes, std::greater(),
                             [&](const model::ModelNode* node) { return UsOf(*node); });
    SlowReason reason{.cause = cause, .nodes = {}, .share = std::min(1.0, us / total_us_)};
    if (reason.share < kMinShare) return;
    for (std::size_t i = 0; i < found.nodes.size() && i < kMaxNodes; ++i) {
      reason.nodes.push_back(found.nodes[i]->name);
    }
    std::string types;
    for (const std::string& type : found.op_types) types += (types.empty() ? "" : ", ") + type;
    reason.explanation = explanation;
    Replace(reason.explanation, "{count}", std::to_string(found.nodes.size()));
    Replace(reason.explanation, "{types}", types);
    Replace(reason.explanation, "{nodes}", ListOf(reason.nodes, found.nodes.size()));
    Replace(reason.explanation, "{share}", Percent(reason.share));
    reasons_.push_back(std::move(reason));
  }

  static void Replace(std::string& text, std::string_view place, const std::string& value) {
    const std::size_t at = text.find(place);
    if (at != text.npos) text.replace(at, place.size(), value);
  }

  void FindDynamic() {
    Found found;
    for (const model::ModelNode& node : graph_.nodes()) {
      if (!IsOneOf(node.op_type, kDynamicOperators)) continue;
      found.nodes.push_back(&node);
      found.op_types.insert(node.op_type);
    }
    Add(SlowCause::kDynamicQuantization, std::move(found), 0,
        "dynamic quantization: {count} operators ({types}: {nodes}) find the range of their input "
        "and quantize it in each run; they take {share} of the time. For small inputs that costs "
        "more than the INT8 product saves: quantize statically, with calibration samples");
  }

  void FindBlocks() {
    Found found;
    for (const model::ModelNode& node : graph_.nodes()) {
      if (!IsOneOf(node.op_type, kBlockOperators)) continue;
      found.nodes.push_back(&node);
      found.op_types.insert(node.op_type);
    }
    Add(SlowCause::kWeightOnlyBlocks, std::move(found), 0,
        "weights in blocks, each with its own scale: {count} operators ({types}: {nodes}) "
        "dequantize their "
        "weights in every run and take {share} of the time. That saves memory and its bandwidth, "
        "not arithmetic: it is worth it only for models that wait for memory, such as large "
        "language models with a small batch. Otherwise quantize weights and activations to INT8, "
        "or keep these operators in float");
  }

  // Finds float operators that still have QuantizeLinear or DequantizeLinear around them, and the
  // reason for each.
  void FindUnfused() {
    Found islands, per_channel, unfused, weight_only;
    for (const model::ModelNode& node : graph_.nodes()) {
      if (IsQuantizer(node)) continue;
      std::set<const model::ModelNode*> quantizers;
      bool has_channels = false, has_dequantized_input = false, has_quantized_output = false;
      for (const model::TensorId input : node.inputs) {
        const model::ModelNode* const producer = ProducerOf(input);
        if (producer == nullptr || producer->op_type != "DequantizeLinear") continue;
        quantizers.insert(producer);
        has_dequantized_input = true;
        const bool is_weight = graph_.IsWeight(producer->inputs[0]);
        if (is_weight && producer->inputs.size() > 1 && IsPerChannel(producer->inputs[1])) {
          has_channels = true;
        }
      }
      for (const model::TensorId output : node.outputs) {
        if (output == model::kNoTensor) continue;
        for (const model::NodeId consumer : graph_.consumers(output)) {
          const model::ModelNode& next = graph_.node(consumer);
          if (next.op_type != "QuantizeLinear") continue;
          quantizers.insert(&next);
          has_quantized_output = true;
        }
      }
      const bool is_product = IsOneOf(node.op_type, kFloatProducts);
      const bool is_fusible = IsOneOf(node.op_type, kFusedOperators);
      Found* found = nullptr;
      if (has_dequantized_input && !has_quantized_activations_) {
        found = &weight_only;
      } else if (has_channels && !is_fusible) {
        found = &per_channel;
      } else if (has_dequantized_input && is_fusible && (is_product || has_quantized_output)) {
        found = &unfused;
      } else if ((has_dequantized_input && has_quantized_output) || is_product) {
        found = &islands;
      }
      if (found == nullptr) continue;
      found->nodes.push_back(&node);
      found->op_types.insert(node.op_type);
      found->quantizers.insert(quantizers.begin(), quantizers.end());
    }
    Add(SlowCause::kPerChannelWeights, std::move(per_channel), 0,
        "per-channel weights on operators that ONNX Runtime does not run with them: {types} "
        "({nodes}). The weights are dequantized in each run and the product is float; with the Q "
        "and DQ beside them they take {share} of the time. Quantize these per tensor, or keep them "
        "in float");
    Add(SlowCause::kWeightOnlyQdq, std::move(weight_only), 0,
        "only the weights are quantized: {count} operators ({types}: {nodes}) run in float, and a "
        "DequantizeLinear turns their weights into float in every run; together they take {share} "
        "of the time. That makes the file smaller, not the model faster: quantize the activations, "
        "too (statically, with calibration samples), or ship the float model");
    Add(SlowCause::kUnfusedQdq, std::move(unfused), 0,
        "Q/DQ pairs that ONNX Runtime could not fuse: {count} operators ({types}: {nodes}) run in "
        "float between QuantizeLinear and DequantizeLinear and take {share} of the time with them. "
        "To be fused, every input needs a DequantizeLinear, the output a QuantizeLinear (after the "
        "activation), all of 8-bit types that go together, and no second user of the float "
        "tensors");
    Add(SlowCause::kFloatIsland, std::move(islands), 0,
        "float islands: {count} operators ({types}: {nodes}) run in float; with the Q and DQ "
        "beside "
        "them they take {share} of the time. ONNX Runtime has no INT8 kernel for them, or they "
        "were "
        "not quantized: replace them (Relu or Clip instead of other activations), or keep their "
        "neighbors in float, too");
  }

  bool IsPerChannel(model::TensorId scale) const {
    if (scale == model::kNoTensor || !graph_.tensor(scale).is_constant) return false;
    std::int64_t count = 1;
    for (const std::int64_t size : graph_.tensor(scale).shape) count *= size;
    return count > 1;
  }

  void FindSmall(double baseline_us) {
    // Mean time of an operator; starting an operator takes a large part of it.
    constexpr double kSmallUs = 20;
    const auto count = static_cast<double>(std::max<std::size_t>(1, us_.size()));
    const double mean_us = std::min(total_us_, baseline_us) / count;
    if (mean_us > kSmallUs) return;
    double quantizers_us = 0;
    Found found;
    for (const model::ModelNode& node : graph_.nodes()) {
      if (IsOneOf(node.op_type, kInt8Products)) {
        found.nodes.push_back(&node);
        found.op_types.insert(node.op_type);
      }
      if (IsQuantizer(node)) quantizers_us += UsOf(node);
    }
    const std::string mean = ShortestDecimal(std::round(mean_us * 10) / 10);
    Add(SlowCause::kTooSmall, std::move(found), quantizers_us,
        "too small to gain: an operator takes " + mean +
            " µs on average, so that starting operators and quantizing inputs ({share} of the time "
            "with {types}) weigh more than the arithmetic. Measure with a larger --batch, or ship "
            "the float model");
  }

  void FindInstructions() {
    if (machine_.has_int8_dot) return;
    Found found;
    for (const model::ModelNode& node : graph_.nodes()) {
      if (!IsOneOf(node.op_type, kInt8Products)) continue;
      found.nodes.push_back(&node);
      found.op_types.insert(node.op_type);
    }
    Add(SlowCause::kNoInt8Instructions, std::move(found), 0,
        "this CPU (" +
            (machine_.instruction_set.empty() ? machine_.architecture : machine_.instruction_set) +
            ") has no VNNI, AMX or dot product for INT8: {count} INT8 operators ({types}), {share} "
            "of the time, gain little over float here. Measure on the CPU that will run the model");
  }

  const ModelProfile& profile_;
  const model::ModelGraph& graph_;
  const MachineInfo& machine_;
  double total_us_;
  bool is_quantized_ = false;
  bool has_quantized_activations_ = false;
  std::unordered_map<std::string, double> us_;
  std::vector<SlowReason> reasons_;
};

// Returns the operator types whose time grew most, or that the baseline does not have. Their time
// must have grown by more than `min_share` of the variant's time.
std::optional<SlowReason> FindGrownOperators(const ModelProfile& baseline,
                                             const ModelProfile& variant, double min_share) {
  constexpr std::size_t kMaxOperators = 1000, kMaxNamed = 3;
  const double total_us = variant.TotalUs();
  std::vector<OperatorTime> grown = CompareOperators(baseline, variant, kMaxOperators);
  std::erase_if(grown, [&](const OperatorTime& time) {
    return !(time.variant_us - time.baseline_us > min_share * total_us);
  });
  if (grown.empty()) return std::nullopt;
  std::ranges::stable_sort(grown, std::greater(), [](const OperatorTime& time) {
    return time.variant_us - time.baseline_us;
  });
  if (grown.size() > kMaxNamed) grown.resize(kMaxNamed);
  SlowReason reason{.cause = SlowCause::kGrownOperators};
  double grown_us = 0;
  std::string list;
  const auto text_of = [](double us) { return ShortestDecimal(std::round(us * 10) / 10); };
  for (const OperatorTime& time : grown) {
    grown_us += time.variant_us - time.baseline_us;
    const auto before = std::ranges::count(baseline.nodes(), time.op_type, &ProfiledNode::op_type);
    const auto now = std::ranges::count(variant.nodes(), time.op_type, &ProfiledNode::op_type);
    list += (list.empty() ? "" : ", ") + time.op_type + " (";
    if (before == 0) {
      list += "not in the baseline, " + std::to_string(now) + " nodes, ";
    } else {
      if (before != now) list += std::to_string(before) + " to " + std::to_string(now) + " nodes, ";
      list += text_of(time.baseline_us) + " to ";
    }
    list += text_of(time.variant_us) + " µs)";
  }
  for (const ProfiledNode& node : variant.nodes()) {
    if (reason.nodes.size() == kMaxNodes) break;
    if (std::ranges::find(grown, node.op_type, &OperatorTime::op_type) == grown.end()) continue;
    reason.nodes.push_back(node.name);
  }
  reason.share = std::min(1.0, grown_us / total_us);
  reason.explanation = "operators that take longer than in the baseline: " + list + ". That is " +
                       Percent(reason.share) +
                       " of the time: remove the operators that were added, or keep these "
                       "operators as they are in the baseline";
  return reason;
}

}  // namespace

std::string_view NameOf(SlowCause cause) {
  switch (cause) {
    case SlowCause::kFloatIsland:
      return "float_island";
    case SlowCause::kUnfusedQdq:
      return "unfused_qdq";
    case SlowCause::kPerChannelWeights:
      return "per_channel_weights";
    case SlowCause::kDynamicQuantization:
      return "dynamic_quantization";
    case SlowCause::kNoInt8Instructions:
      return "no_int8_instructions";
    case SlowCause::kNotQuantized:
      return "not_quantized";
    case SlowCause::kWeightOnlyBlocks:
      return "weight_only_blocks";
    case SlowCause::kWeightOnlyQdq:
      return "weight_only_qdq";
    case SlowCause::kGrownOperators:
      return "grown_operators";
    case SlowCause::kTooSmall:
      break;
  }
  return "too_small";
}

std::vector<SlowReason> FindReasons(const ModelProfile& baseline, const ModelProfile& variant,
                                    const MachineInfo& machine, bool is_slower) {
  std::vector<SlowReason> reasons =
      GraphReader(variant, machine).Reasons(baseline.TotalUs(), baseline);
  if (reasons.empty()) {
    if (auto grown = FindGrownOperators(baseline, variant, is_slower ? 0 : kMinShare))
      reasons.push_back(*std::move(grown));
  }
  return reasons;
}

}  // namespace cboard::benchmark
