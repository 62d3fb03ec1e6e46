#include "compare/blame/switch_board.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "compare/layers/float_operators.h"
#include "compare/layers/node_bodies.h"

namespace cboard::compare {
namespace {

constexpr int kFloatElement = 1, kBoolElement = 9;  // Numbers of ONNX's element types.

bool kTrue = true, kFalse = false;  // Values of the model's boolean inputs.

std::shared_ptr<const std::vector<float>> Shared(std::vector<float> values) {
  return std::make_shared<const std::vector<float>>(std::move(values));
}

}  // namespace

class SwitchBoard::Builder {
 public:
  // If `other` is given, its weights are shared instead of read.
  Builder(const model::ModelGraph& baseline, const model::ModelGraph& variant,
          std::span<const SwitchedPart> parts, const SwitchBoard* other, std::size_t max_bytes)
      : baseline_(baseline),
        variant_(variant),
        parts_(parts),
        other_(other),
        has_trials_(other == nullptr),
        max_bytes_(max_bytes) {}

  Result<SwitchBoard> Run(std::vector<std::string> captured) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Knobs knobs;
      prefix_ = "__cb" + std::to_string(i);
      if (parts_[i].part == Part::kOutput) {
        AddOutput(parts_[i], knobs);
      } else {
        CBOARD_RETURN_IF_ERROR(AddWeights(parts_[i], knobs));
      }
      knobs_.push_back(std::move(knobs));
    }
    for (const SwitchedPart& part : parts_) AddDynamicUses(part);
    CBOARD_ASSIGN_OR_RETURN(
        runtime::ModelCapture capture,
        runtime::ModelCapture::Open(variant_.path(), {.tensors = std::move(captured),
                                                      .edits = std::move(edits_),
                                                      .max_constant_bytes = {},
                                                      .session = {.threads = 1}}));
    return SwitchBoard(variant_, parts_, std::move(knobs_), std::move(capture), has_trials_);
  }

 private:
  Result<void> Take(std::size_t floats) {
    bytes_ += floats * sizeof(float);
    if (bytes_ <= max_bytes_) return {};
    return Fail(ErrorCode::kResourceExhausted, "the weights of the model need more than " +
                                                   HumanBytes(static_cast<double>(max_bytes_)) +
                                                   " of memory as float32");
  }

  // Returns the knob of the other board with the same input; null without another board, or if it
  // has no such knob.
  const WeightKnob* KnobOfOther(const std::string& input) const {
    if (other_ == nullptr) return nullptr;
    const std::vector<WeightKnob>& known = other_->knobs_[knobs_.size()].weights;
    const auto found = std::ranges::find(known, input, &WeightKnob::input);
    return found == known.end() ? nullptr : &*found;
  }

  // Replaces a tensor that `node` reads or computes by a new input of the model. `read` returns the
  // baseline's values; it is not called if another board has them.
  template <typename Read>
  Result<void> AddKnob(model::TensorId tensor, const model::ModelNode& node, const Read& read,
                       bool is_bias, Knobs& knobs) {
    TensorInFile found = FindInFile(variant_, tensor, node);
    WeightKnob knob{
        .input = found.in.empty() ? found.name : prefix_ + (is_bias ? "_bias" : "_weight"),
        .shape = variant_.tensor(tensor).shape,
        .as_is = {},
        .baseline = {},
        .is_bias = is_bias};
    if (other_ != nullptr) {
      const WeightKnob* const known = KnobOfOther(knob.input);
      if (known == nullptr) return {};
      knob.as_is = known->as_is;
      knob.baseline = known->baseline;
    } else {
      CBOARD_ASSIGN_OR_RETURN(knob.baseline, read());
      if (knob.baseline == nullptr) return {};
      CBOARD_RETURN_IF_ERROR(Take(2 * knob.baseline->size()));
      CBOARD_ASSIGN_OR_RETURN(std::vector<float> as_is, variant_.ReadWeights(tensor));
      if (as_is.size() != knob.baseline->size()) return {};
      knob.as_is = Shared(std::move(as_is));
    }
    if (found.in.empty()) {
      edits_.removed.push_back({.name = found.name});
    } else {
      if (variant_.tensor(tensor).producer == model::kNoNode) return {};
      edits_.passed.push_back(
          {.name = found.name, .from = knob.input, .low = {}, .high = {}, .in = found.in});
    }
    edits_.inputs.push_back({knob.input, kFloatElement, knob.shape});
    knobs.weights.push_back(std::move(knob));
    return {};
  }

  // Returns the baseline's rows in the order of the file; shares them if the order is the same.
  SharedFloats InStoredOrder(const ModelLayer& after,
                             const std::shared_ptr<const WeightRows>& rows) const {
    std::vector<float> stored = ToStoredOrder(variant_, after, *rows);
    if (stored == rows->values) return {rows, &rows->values};
    return Shared(std::move(stored));
  }

  Result<void> AddWeights(const SwitchedPart& part, Knobs& knobs) {
    if (part.weights == nullptr) {
      const auto read = [&]() -> Result<SharedFloats> {
        CBOARD_ASSIGN_OR_RETURN(std::vector<float> values,
                                baseline_.ReadWeights(part.baseline_constant));
        return Shared(std::move(values));
      };
      return AddKnob(part.tensor, variant_.node(part.node), read, false, knobs);
    }
    const ModelLayer& after = part.weights->after;
    const model::ModelNode& node = variant_.node(after.node);
    std::shared_ptr<const WeightRows> rows;
    if (other_ != nullptr) {
      rows = other_->knobs_[knobs_.size()].rows;
    } else {
      CBOARD_ASSIGN_OR_RETURN(WeightRows read, BaselineRows(baseline_, variant_, *part.weights));
      rows = std::make_shared<const WeightRows>(std::move(read));
    }
    const auto product = ProductInsteadOf(variant_, after);
    const auto conv = ConvInsteadOf(variant_, after);
    if (product || conv) {
      CBOARD_RETURN_IF_ERROR(AddProduct(part, product ? *product : *conv, *rows, knobs));
    } else if (CanBecomeLstm(variant_, after)) {
      CBOARD_RETURN_IF_ERROR(AddLstm(after, rows, knobs));
    } else {
      const auto read = [&]() -> Result<SharedFloats> { return InStoredOrder(after, rows); };
      CBOARD_RETURN_IF_ERROR(AddKnob(after.weight, node, read, false, knobs));
    }
    knobs.rows = std::move(rows);
    if (after.bias == model::kNoTensor || !biases_.insert(after.bias).second) return {};
    const auto read_bias = [&]() -> Result<SharedFloats> {
      CBOARD_ASSIGN_OR_RETURN(auto bias, BaselineBias(baseline_, variant_, *part.weights));
      return bias ? Shared(*std::move(bias)) : nullptr;
    };
    return AddKnob(after.bias, node, read_bias, true, knobs);
  }

  // Replaces integer products by float products. AddDynamicUses later writes the nodes that read a
  // DynamicQuantizeLinear.
  Result<void> AddProduct(const SwitchedPart& part, const FloatProduct& product,
                          const WeightRows& rows, Knobs& knobs) {
    const ModelLayer& after = part.weights->after;
    const model::ModelNode& node = variant_.node(after.node);
    const bool is_conv = node.op_type == "ConvInteger";
    WeightKnob knob{.input = prefix_ + "_weight",
                    .shape = {},
                    .as_is = {},
                    .baseline = {},
                    .is_transposed = !is_conv};
    if (is_conv) {
      knob.shape = variant_.tensor(after.weight).shape;
    } else {
      knob.shape = {static_cast<std::int64_t>(rows.row), static_cast<std::int64_t>(rows.channels)};
    }
    if (other_ != nullptr) {
      const WeightKnob* const known = KnobOfOther(knob.input);
      if (known == nullptr) return {};
      knob.as_is = known->as_is;
      knob.baseline = known->baseline;
    } else {
      CBOARD_RETURN_IF_ERROR(Take(2 * rows.values.size()));
      CBOARD_ASSIGN_OR_RETURN(const WeightRows codes, ReadRows(variant_, after));
      if (codes.values.size() != rows.values.size()) return {};
      knob.as_is = Shared(is_conv ? ToStoredOrder(variant_, after, codes) : Transposed(codes));
      knob.baseline = Shared(is_conv ? ToStoredOrder(variant_, after, rows) : Transposed(rows));
    }
    edits_.inputs.push_back({knob.input, kFloatElement, knob.shape});
    const std::string right = knob.input;
    knobs.weights.push_back(std::move(knob));
    if (product.dynamic != model::kNoNode) {
      dynamic_uses_[product.dynamic].push_back({product, after.node, right});
      return {};
    }
    const TensorInFile output = FindInFile(variant_, product.output, node);
    edits_.recomputed.push_back(
        {.name = output.name,
         .nodes = {{.op_type = "MatMul",
                    .inputs = {FindInFile(variant_, product.left, node).name, right},
                    .output = output.name}},
         .own = {},
         .in = output.in});
    return {};
  }

  Result<void> AddLstm(const ModelLayer& after, const std::shared_ptr<const WeightRows>& rows,
                       Knobs& knobs) {
    constexpr std::size_t kW = 1, kPeepholes = 7;
    const model::ModelNode& node = variant_.node(after.node);
    const auto [place, is_new] = lstms_.try_emplace(after.node, edits_.nodes.size());
    if (is_new) {
      const auto output = std::find_if(node.outputs.begin(), node.outputs.end(),
                                       [](model::TensorId id) { return id != model::kNoTensor; });
      const TensorInFile found = FindInFile(variant_, *output, node);
      runtime::ReplacedNode lstm{
          .output = found.name, .op_type = "LSTM", .inputs = {}, .in = found.in};
      for (std::size_t i = 0; i < std::min(node.inputs.size(), kPeepholes + 1); ++i) {
        lstm.inputs.push_back(node.inputs[i] == model::kNoTensor
                                  ? std::string()
                                  : FindInFile(variant_, node.inputs[i], node).name);
      }
      edits_.nodes.push_back(std::move(lstm));
    }
    const std::vector<std::int64_t>& stored = variant_.tensor(after.weight).shape;
    WeightKnob knob{.input = prefix_ + "_weight",
                    .shape = {stored[0], stored[2], stored[1]},
                    .as_is = {},
                    .baseline = SharedFloats(rows, &rows->values)};
    if (const WeightKnob* const known = KnobOfOther(knob.input); known != nullptr) {
      knob.as_is = known->as_is;
    } else {
      CBOARD_RETURN_IF_ERROR(Take(2 * rows->values.size()));
      CBOARD_ASSIGN_OR_RETURN(WeightRows codes, ReadRows(variant_, after));
      knob.as_is = Shared(std::move(codes.values));
    }
    const std::size_t input = after.operand == node.inputs[kW] ? kW : kW + 1;
    edits_.nodes[place->second].inputs[input] = knob.input;
    edits_.inputs.push_back({knob.input, kFloatElement, knob.shape});
    knobs.weights.push_back(std::move(knob));
    return {};
  }

  void AddFlags(Knobs& knobs) {
    knobs.flag = prefix_ + "_flag";
    edits_.inputs.push_back({knobs.flag, kBoolElement, {}});
    if (!has_trials_) return;
    knobs.trial = prefix_ + "_trial";
    knobs.scale = prefix_ + "_scale";
    knobs.low = prefix_ + "_low";
    knobs.high = prefix_ + "_high";
    edits_.inputs.push_back({knobs.trial, kBoolElement, {}});
    edits_.inputs.push_back({knobs.scale, kFloatElement, {}, false});
    edits_.inputs.push_back({knobs.low, kFloatElement, {}});
    edits_.inputs.push_back({knobs.high, kFloatElement, {}});
  }

  // Appends nodes that round the floats of `from` with a quantization grid that is tried as a fix.
  std::string Floats(std::string from, const std::string& name, const Knobs& knobs,
                     std::vector<runtime::NodeSketch>& nodes) const {
    if (!has_trials_) return from;
    const auto add = [&](std::string op_type, std::vector<std::string> inputs,
                         const std::string& suffix) {
      nodes.push_back({std::move(op_type), std::move(inputs), name + suffix});
      return name + suffix;
    };
    std::string code = add("Div", {from, knobs.scale}, "__steps");
    code = add("Round", {code}, "__rounded");
    code = add("Max", {code, knobs.low}, "__raised");
    code = add("Min", {code, knobs.high}, "__code");
    code = add("Mul", {code, knobs.scale}, "__tried");
    return add("Where", {knobs.trial, code, from}, "__floats");
  }

  void AddOutput(const SwitchedPart& part, Knobs& knobs) {
    AddFlags(knobs);
    if (part.dynamic != model::kNoNode) return;
    for (const model::NodeId id : variant_.consumers(part.tensor)) {
      const model::ModelNode& quantize = variant_.node(id);
      if (quantize.op_type != "QuantizeLinear" || quantize.inputs[0] != part.tensor) continue;
      if (quantize.outputs.empty() || quantize.outputs[0] == model::kNoTensor) continue;
      for (const model::NodeId other : variant_.consumers(quantize.outputs[0])) {
        const model::ModelNode& dequantize = variant_.node(other);
        if (dequantize.op_type != "DequantizeLinear" || dequantize.outputs.empty()) continue;
        if (dequantize.inputs[0] != quantize.outputs[0]) continue;
        Switch(dequantize, part, knobs);
      }
    }
  }

  void Switch(const model::ModelNode& dequantize, const SwitchedPart& part, const Knobs& knobs) {
    const TensorInFile after = FindInFile(variant_, dequantize.outputs[0], dequantize);
    std::string from = FindInFile(variant_, part.tensor, dequantize).name;
    runtime::RecomputedTensor tensor{
        .name = after.name, .nodes = {}, .own = after.name + "__own", .in = after.in};
    const auto bound = [&](const char* op_type, float value, const std::string& suffix) {
      if (!std::isfinite(value)) return;
      const std::string limit = after.name + suffix;
      edits_.added.push_back({.name = limit, .shape = {}, .values = {value}, .in = after.in});
      tensor.nodes.push_back({op_type, {from, limit}, limit + "_cut"});
      from = limit + "_cut";
    };
    if (part.clamp) {
      bound("Max", part.clamp->low, "__from");
      bound("Min", part.clamp->high, "__to");
    }
    from = Floats(from, after.name, knobs, tensor.nodes);
    tensor.nodes.push_back({"Where", {knobs.flag, from, tensor.own}, after.name});
    edits_.recomputed.push_back(std::move(tensor));
  }

  // Dequantizes the outputs of a DynamicQuantizeLinear, so that float operators can use them.
  void AddDynamicUses(const SwitchedPart& part) {
    if (part.dynamic == model::kNoNode) return;
    const auto uses = dynamic_uses_.find(part.dynamic);
    if (uses == dynamic_uses_.end()) return;
    const Knobs& knobs = knobs_[static_cast<std::size_t>(&part - parts_.data())];
    const model::ModelNode& dynamic = variant_.node(part.dynamic);
    for (const auto& [product, id, right] : uses->second) {
      const model::ModelNode& node = variant_.node(id);
      const TensorInFile sums = FindInFile(variant_, product.sums, node);
      runtime::RecomputedTensor tensor{.name = sums.name, .nodes = {}, .own = {}, .in = sums.in};
      std::vector<std::string> codes;
      for (const model::TensorId output : dynamic.outputs) {
        codes.push_back(FindInFile(variant_, output, dynamic).name);
      }
      tensor.nodes.push_back({"DequantizeLinear", codes, sums.name + "__own"});
      const std::string from =
          Floats(FindInFile(variant_, product.left, node).name, sums.name, knobs, tensor.nodes);
      tensor.nodes.push_back(
          {"Where", {knobs.flag, from, sums.name + "__own"}, sums.name + "__left"});
      tensor.nodes.push_back({.op_type = node.op_type == "ConvInteger" ? "Conv" : "MatMul",
                              .inputs = {sums.name + "__left", right},
                              .output = sums.name,
                              .has_attributes = node.op_type == "ConvInteger"});
      edits_.recomputed.push_back(std::move(tensor));
      const TensorInFile output = FindInFile(variant_, product.output, node);
      edits_.passed.push_back({.name = output.name,
                               .from = FindInFile(variant_, product.cast, node).name,
                               .low = {},
                               .high = {},
                               .in = output.in});
    }
  }

  struct DynamicUse {
    FloatProduct product;
    model::NodeId node;
    std::string right;
  };

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  std::span<const SwitchedPart> parts_;
  const SwitchBoard* other_;
  bool has_trials_;
  std::size_t max_bytes_, bytes_ = 0;
  std::string prefix_;
  runtime::GraphEdits edits_;
  std::vector<Knobs> knobs_;
  std::unordered_set<model::TensorId> biases_;
  std::unordered_map<model::NodeId, std::size_t> lstms_;
  std::unordered_map<model::NodeId, std::vector<DynamicUse>> dynamic_uses_;
};

Result<SwitchBoard> SwitchBoard::Open(const model::ModelGraph& baseline,
                                      const model::ModelGraph& variant,
                                      std::span<const SwitchedPart> parts,
                                      std::vector<std::string> captured, std::size_t max_bytes) {
  return Builder(baseline, variant, parts, nullptr, max_bytes).Run(std::move(captured));
}

Result<SwitchBoard> SwitchBoard::OpenWithoutTrials(const model::ModelGraph& baseline,
                                                   std::vector<std::string> captured) const {
  return Builder(baseline, *variant_, parts_, this, 0).Run(std::move(captured));
}

const WeightRows* SwitchBoard::RowsOf(std::size_t part) const { return knobs_[part].rows.get(); }

bool SwitchBoard::HasBias(std::size_t part) const {
  return std::ranges::any_of(knobs_[part].weights, &WeightKnob::is_bias);
}

Result<runtime::RunResult> SwitchBoard::Run(std::span<const runtime::NamedTensor> inputs,
                                            const Settings& settings) const {
  static constexpr float kOne = 1;
  static constexpr float kFarBelow = -3e38f, kFarAbove = 3e38f;
  std::vector<runtime::NamedTensor> all;
  const std::vector<runtime::ModelValue>& known = capture_.session().inputs();
  for (const runtime::NamedTensor& input : inputs) {
    const bool is_known =
        std::ranges::find(known, input.name, &runtime::ModelValue::name) != known.end();
    if (is_known) all.push_back(input);
  }
  std::vector<std::vector<float>> made;  // Weights that are tried, in file order.
  made.reserve(settings.size());
  for (std::size_t i = 0; i < knobs_.size(); ++i) {
    const auto& [state, grid, values] = settings[i];
    for (const WeightKnob& knob : knobs_[i].weights) {
      const bool is_kept =
          state == PartState::kAsIs || (state == PartState::kFloatBias && !knob.is_bias);
      const std::vector<float>* chosen = is_kept ? knob.as_is.get() : knob.baseline.get();
      if (state == PartState::kTrial && values != nullptr && knobs_[i].rows && !knob.is_bias) {
        const WeightRows tried{knobs_[i].rows->channels, knobs_[i].rows->row, *values};
        const ModelLayer& after = parts_[i].weights->after;
        made.push_back(knob.is_transposed                ? Transposed(tried)
                       : CanBecomeLstm(*variant_, after) ? *values
                                                         : ToStoredOrder(*variant_, after, tried));
        chosen = &made.back();
      }
      all.push_back({knob.input, TensorView(*chosen, knob.shape)});
    }
    if (knobs_[i].flag.empty()) continue;
    const auto flag = [](bool value) {
      return TensorView(DType::kBool, value ? &kTrue : &kFalse, {});
    };
    all.push_back({knobs_[i].flag, flag(state != PartState::kAsIs)});
    if (!has_trials_) continue;
    const bool is_tried = state == PartState::kTrial && grid != nullptr;
    all.push_back({knobs_[i].trial, flag(is_tried)});
    all.push_back({knobs_[i].scale, is_tried ? TensorView(grid->scales, grid->shape)
                                             : TensorView(DType::kFloat32, &kOne, {})});
    all.push_back(
        {knobs_[i].low, TensorView(DType::kFloat32, is_tried ? &grid->low : &kFarBelow, {})});
    all.push_back(
        {knobs_[i].high, TensorView(DType::kFloat32, is_tried ? &grid->high : &kFarAbove, {})});
  }
  return capture_.Run(all);
}

}  // namespace cboard::compare
