// Finds nodes of a quantized graph that compute in floating point, and what they cost.
#include <algorithm>
#include <numeric>

#include "cboard/base/strings.h"
#include "compare/layers/layer_operators.h"
#include "compare/layers/model_layers.h"
#include "compare/layers/quantizers.h"
#include "compare/lint/graph_lint.h"

namespace cboard::compare {
namespace {

enum class Computes {
  kNothing,   // Quantizers, constants, and nodes for shapes and indices.
  kIntegers,  // An integer kernel, or a node between DequantizeLinear and QuantizeLinear.
  kFloats,
};

// Returns true for operators that integer kernels can apply to their output.
bool IsFused(const model::ModelNode& node) {
  return node.op_type == "Relu" || node.op_type == "Clip" || node.op_type == "Add" ||
         PassesValues(node.op_type);
}

class IslandFinder {
 public:
  explicit IslandFinder(const model::ModelGraph& model)
      : model_(model),
        use_(model),
        is_quantized_after_(model.tensors().size()),
        computes_(model.nodes().size()) {
    MarkQuantizedAfter();
    for (std::size_t i = 0; i < computes_.size(); ++i) computes_[i] = Classify(model.nodes()[i]);
  }

  void FindIslands(std::vector<LintFinding>& findings) const {
    // Connected floating-point nodes form one island; nodes are joined by the tensors between them.
    std::vector<std::size_t> group(computes_.size());
    std::iota(group.begin(), group.end(), 0);
    const auto root = [&](std::size_t i) {
      while (group[i] != i) i = group[i] = group[group[i]];
      return i;
    };
    for (std::size_t i = 0; i < computes_.size(); ++i) {
      if (computes_[i] != Computes::kFloats) continue;
      for (const model::TensorId input : model_.nodes()[i].inputs) {
        const std::size_t producer = ProducerOf(input);
        if (producer < computes_.size() && computes_[producer] == Computes::kFloats) {
          group[std::max(root(i), root(producer))] = std::min(root(i), root(producer));
        }
      }
    }
    std::vector<Island> islands(computes_.size());
    for (std::size_t i = 0; i < computes_.size(); ++i) {
      if (computes_[i] == Computes::kFloats) Add(i, islands[root(i)]);
    }
    for (std::size_t i = 0; i < islands.size(); ++i) {
      if (islands[i].is_entered && islands[i].is_left) Report(i, islands[i], findings);
    }
  }

  // Finds pairs of QuantizeLinear and DequantizeLinear whose result is used only by floating-point
  // nodes: such a pair costs time and accuracy without any gain.
  void FindPairs(std::vector<LintFinding>& findings) const {
    for (const model::ModelNode& node : model_.nodes()) {
      if (!IsDequantizer(node) || node.inputs.empty() || node.outputs.empty()) continue;
      const model::TensorId codes = node.inputs[0], real = node.outputs[0];
      if (codes == model::kNoTensor || real == model::kNoTensor || model_.IsWeight(codes)) continue;
      const std::size_t quantizer = ProducerOf(codes);
      if (quantizer >= computes_.size() || !IsQuantizer(model_.nodes()[quantizer])) continue;
      const auto consumers = model_.consumers(real);
      if (consumers.empty() || use_.IsOutput(real)) continue;
      if (std::ranges::all_of(consumers,
                              [&](model::NodeId id) { return IsQuantizer(model_.node(id)); })) {
        findings.push_back({LintRule::kUnfusedPair, node.name,
                            "what it dequantizes is only quantized again: values are rounded twice "
                            "and nothing is computed in between"});
      } else if (std::ranges::all_of(consumers, [&](model::NodeId id) {
                   return computes_[model::IndexOf(id)] == Computes::kFloats;
                 })) {
        const model::ModelNode& user = model_.node(consumers[0]);
        findings.push_back({LintRule::kUnfusedPair, node.name,
                            "rounds what only floating-point nodes use (" + Quoted(user.name) +
                                ", " + user.op_type +
                                "): it costs accuracy and time and saves nothing"});
      }
    }
  }

 private:
  struct Island {
    std::size_t nodes = 0;
    std::uint64_t weight_bytes = 0, macs = 0;
    bool is_entered = false, is_left = false;  // The island reads or writes quantized values.
  };

  std::size_t ProducerOf(model::TensorId id) const {
    if (id == model::kNoTensor || model_.tensor(id).producer == model::kNoNode)
      return computes_.size();
    return model::IndexOf(model_.tensor(id).producer);
  }

  bool IsDequantized(model::TensorId id) const {
    const std::size_t producer = ProducerOf(id);
    return producer < computes_.size() && IsDequantizer(model_.nodes()[producer]);
  }

  // Marks tensors that are quantized later: codes, and floats that go to a quantizer, directly or
  // behind an activation. Outputs of the model count as well, because they must be floats. Visits
  // nodes from the last to the first.
  void MarkQuantizedAfter() {
    for (auto node = model_.nodes().rbegin(); node != model_.nodes().rend(); ++node) {
      for (const model::TensorId output : node->outputs) {
        if (output != model::kNoTensor)
          is_quantized_after_[model::IndexOf(output)] = IsQuantizedAfter(output);
      }
    }
  }

  bool IsQuantizedAfter(model::TensorId id) const {
    if (model_.tensor(id).quantization || use_.IsOutput(id)) return true;
    return std::ranges::any_of(model_.consumers(id), [&](model::NodeId consumer) {
      const model::ModelNode& node = model_.node(consumer);
      if (IsQuantizer(node)) return true;
      return IsFused(node) && !node.outputs.empty() && node.outputs[0] != model::kNoTensor &&
             is_quantized_after_[model::IndexOf(node.outputs[0])];
    });
  }

  Computes Classify(const model::ModelNode& node) const {
    if (IsQuantizer(node) || IsDequantizer(node) || node.outputs.empty()) return Computes::kNothing;
    const model::TensorId output = node.outputs[0];
    if (output == model::kNoTensor || model_.IsWeight(output)) return Computes::kNothing;
    const model::ModelTensor& result = model_.tensor(output);
    if (result.quantization) return Computes::kIntegers;
    std::size_t values = 0, dequantized = 0, codes = 0, float_weights = 0, quantized_weights = 0;
    for (const model::TensorId input : node.inputs) {
      if (input == model::kNoTensor) continue;
      const model::ModelTensor& tensor = model_.tensor(input);
      if (model_.IsWeight(input)) {
        // Ignores float biases and small constants, because sound quantized models have them, too.
        if (IsFloat(tensor.type) && tensor.shape.size() >= 2 &&
            QuantizationOf(model_, input) == nullptr) {
          ++float_weights;
        } else if (tensor.shape.size() >= 2) {
          ++quantized_weights;
        }
        continue;
      }
      if (IsInteger(tensor.type)) {
        ++codes;
        continue;
      }
      ++values;
      if (IsDequantized(input)) ++dequantized;
    }
    if (values == 0)
      return codes > 0 && IsFloat(result.type) ? Computes::kIntegers : Computes::kNothing;
    if (result.type != DType::kUnknown && !IsFloat(result.type)) return Computes::kNothing;
    // Integer kernels can also return floats, so the output of a product need not be quantized.
    if (dequantized == values && float_weights == 0 &&
        (quantized_weights > 0 || is_quantized_after_[model::IndexOf(output)])) {
      return Computes::kIntegers;
    }
    // An activation between a quantized node and its quantizer counts as part of this node.
    if (values == 1 && IsFused(node) && is_quantized_after_[model::IndexOf(output)]) {
      for (const model::TensorId input : node.inputs) {
        const std::size_t producer = ProducerOf(input);
        if (producer < computes_.size() && computes_[producer] == Computes::kIntegers) {
          return Computes::kIntegers;
        }
      }
    }
    return Computes::kFloats;
  }

  void Add(std::size_t i, Island& island) const {
    const model::ModelNode& node = model_.nodes()[i];
    ++island.nodes;
    island.weight_bytes += node.weight_bytes;
    island.macs += node.macs.value_or(0);
    for (const model::TensorId input : node.inputs) {
      if (input == model::kNoTensor || model_.IsWeight(input)) continue;
      const std::size_t producer = ProducerOf(input);
      const bool is_integer =
          producer < computes_.size() && computes_[producer] == Computes::kIntegers;
      if (is_integer || IsDequantized(input)) island.is_entered = true;
    }
    for (const model::TensorId output : node.outputs) {
      if (output == model::kNoTensor) continue;
      for (const model::NodeId consumer : model_.consumers(output)) {
        if (IsQuantizer(model_.node(consumer))) island.is_left = true;
      }
    }
  }

  void Report(std::size_t first, const Island& island, std::vector<LintFinding>& findings) const {
    const model::ModelNode& node = model_.nodes()[first];
    const bool is_one = island.nodes == 1;
    std::string text = std::to_string(island.nodes) + (is_one ? " node" : " nodes") +
                       " from here on (" + node.op_type + " first) " +
                       (is_one ? "computes" : "compute") +
                       " in floating point between quantized ones";
    if (island.macs > 0) text += ", " + HumanCount(island.macs) + " multiply-accumulates";
    if (island.weight_bytes > 0) {
      text += ", " + HumanBytes(static_cast<double>(island.weight_bytes)) + " of weights";
    }
    findings.push_back({LintRule::kFloatIsland, node.name, std::move(text)});
  }

  const model::ModelGraph& model_;
  TensorUse use_;
  std::vector<bool> is_quantized_after_;
  std::vector<Computes> computes_;
};

}  // namespace

void LintIslands(const model::ModelGraph& model, std::vector<LintFinding>& findings) {
  const IslandFinder finder(model);
  finder.FindIslands(findings);
  finder.FindPairs(findings);
}

// Reports one finding for all integer convolutions, because the conversion of the file is their
// common cause.
void LintIntegerConvolutions(const model::ModelGraph& model, std::vector<LintFinding>& findings) {
  const model::ModelNode* first = nullptr;
  std::size_t count = 0;
  for (const model::ModelNode& node : model.nodes()) {
    if (node.op_type != "ConvInteger") continue;
    if (first == nullptr) first = &node;
    ++count;
  }
  if (first == nullptr) return;
  findings.push_back({LintRule::kIntegerConvolution, first->name,
                      HumanCount(count) + (count == 1 ? " ConvInteger" : " ConvInteger nodes") +
                          " of dynamic quantization: ONNX Runtime's kernel is slower than Conv in "
                          "float32 on most processors, and its weights have one scale for all "
                          "channels, whatever per_channel says; quantize convolutions statically"});
}

}  // namespace cboard::compare
