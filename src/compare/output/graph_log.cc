#include "compare/output/graph_log.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "cboard/verdict/number_text.h"
#include "compare/measure/weight_comparison.h"
#include "compare/output/log_parts.h"
#include "writer/graph_import/node_names.h"

namespace cboard::compare {
namespace {

using proto::Attribute;
using Attributes = std::vector<std::pair<std::string, Attribute>>;

// Prefix of attributes with the first real values of a weight. The number of the input follows:
// "first_values/1".
constexpr std::string_view kFirstValues = "first_values/";
constexpr std::size_t kMaxFirstValues = 16;

// Describes a tensor: "w: int8 [8, 1, 3, 3]".
std::string Described(const model::ModelTensor& tensor) {
  std::string text = tensor.name + ": " + std::string(NameOf(tensor.type)) + " [";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(tensor.shape[i]);
  }
  return ToValidUtf8(text + "]");
}

// Describes a tensor with its first dequantized values: "w: int8 [8, 1, 3, 3] = 0.5, -0.25, …".
// nullopt if they cannot be read.
std::optional<std::string> FirstValuesOf(const model::ModelGraph& model, model::TensorId id) {
  if (!model.IsWeight(id)) return std::nullopt;
  const Result<model::WeightReader> weights = model.OpenWeights(id);
  if (!weights || weights->element_count() == 0) return std::nullopt;
  std::vector<float> values(std::min(weights->element_count(), kMaxFirstValues));
  weights->Read(0, values);
  std::string text = Described(model.tensor(model.tensor(id).source)) + " = ";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? ", " : "") + verdict::ShortNumber(values[i]);
  }
  return text + (weights->element_count() > values.size() ? ", …" : "");
}

class GraphLogBuilder {
 public:
  GraphLogBuilder(const model::ModelGraph& model, const NodeFindings& findings)
      : model_(model), findings_(findings) {}

  GraphLog Build() {
    for (const model::TensorId input : model_.inputs()) AddInput(input);
    // Collects all names first, because a subgraph may use tensors of the graph around it.
    std::vector<std::string> names;
    for (const model::ModelNode& node : model_.nodes()) {
      names.push_back(names_.Take(WithoutSlash(node.name)));
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] == model::kNoTensor) continue;
        references_.try_emplace(node.outputs[i],
                                i == 0 ? names.back() : names.back() + ":" + std::to_string(i));
      }
    }
    for (std::size_t i = 0; i < names.size(); ++i) AddNode(model_.nodes()[i], names[i]);
    if (names.empty()) AddStoredWeights();
    return {graph_.Encode(), proto::EncodeRunMetadata(resources_)};
  }

 private:
  void AddInput(model::TensorId input) {
    const model::ModelTensor& tensor = model_.tensor(input);
    if (tensor.is_constant) return;
    const std::string name = names_.Take(WithoutSlash(tensor.name));
    references_.try_emplace(input, name);
    proto::Node node{.name = name, .op = "Input"};
    if (tensor.has_shape) {
      node.attributes.emplace_back("_output_shapes", Attribute::ShapeList({tensor.shape}));
    }
    graph_.AddNode(node);
  }

  void AddNode(const model::ModelNode& node, const std::string& name) {
    proto::Node added{.name = name, .op = node.op_type, .device = node.op_type};
    std::vector<std::string> weights;
    for (const model::TensorId input : node.inputs) {
      if (input == model::kNoTensor) continue;
      const auto reference = references_.find(input);
      if (reference != references_.end()) {
        added.inputs.push_back(reference->second);
      } else if (model_.tensor(input).is_constant) {
        weights.push_back(Described(model_.tensor(input)));
      }
    }
    if (!weights.empty()) added.attributes.emplace_back("weights", Attribute::StringList(weights));
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != model::kNoTensor) AddFirstValues(i, node.inputs[i], added.attributes);
    }
    if (const model::TensorId weight = LargestWeight(node); weight != model::kNoTensor) {
      added.attributes.emplace_back("weight_bits", Attribute::Int(BitsOfWeight(model_, weight)));
    }
    if (node.macs.value_or(0) > 0) {
      added.attributes.emplace_back("macs", Attribute::Int(static_cast<std::int64_t>(*node.macs)));
    }
    AddFindings(node.name, added.attributes);
    std::vector<proto::Shape> shapes;
    for (const model::TensorId output : node.outputs) {
      if (output != model::kNoTensor) shapes.push_back(model_.tensor(output).shape);
    }
    added.attributes.emplace_back("_output_shapes", Attribute::ShapeList(shapes));
    graph_.AddNode(added);
    AddBytes(name, node.weight_bytes);
  }

  void AddFirstValues(std::size_t input, model::TensorId id, Attributes& attributes) const {
    const std::optional<std::string> values = FirstValuesOf(model_, id);
    if (!values) return;
    attributes.emplace_back(std::string(kFirstValues) + std::to_string(input),
                            Attribute::String(*values));
  }

  // Returns the largest constant that the node reads. Constants with a single value are not
  // weights.
  model::TensorId LargestWeight(const model::ModelNode& node) const {
    model::TensorId largest = model::kNoTensor;
    double most = 1;
    for (const model::TensorId input : node.inputs) {
      if (!model_.IsWeight(input)) continue;
      double elements = 1;
      for (const std::int64_t size : model_.tensor(input).shape) {
        elements *= static_cast<double>(size);
      }
      if (elements <= most) continue;
      largest = input;
      most = elements;
    }
    return largest;
  }

  void AddStoredWeights() {
    for (const model::ModelTensor& tensor : model_.tensors()) {
      proto::Node added{.name = names_.Take(WithoutSlash(tensor.name)), .op = "Const"};
      added.device = std::string(NameOf(tensor.type));
      added.attributes.emplace_back("weights", Attribute::StringList({Described(tensor)}));
      AddFirstValues(0, model_.FindTensor(tensor.name), added.attributes);
      AddFindings(tensor.name, added.attributes);
      graph_.AddNode(added);
      AddBytes(added.name, tensor.stored_bytes());
    }
  }

  void AddFindings(const std::string& name, Attributes& attributes) const {
    const auto found = findings_.find(name);
    if (found == findings_.end()) return;
    const LayerComparison& layer = *found->second;
    attributes.emplace_back("bits", Attribute::Int(layer.bits));
    attributes.emplace_back("level", Attribute::String(NameOf(layer.diagnosis.level)));
    attributes.emplace_back("cause", Attribute::String(NameOf(layer.diagnosis.cause)));
    if (!layer.diagnosis.explanation.empty()) {
      attributes.emplace_back("explanation",
                              Attribute::String(ToValidUtf8(layer.diagnosis.explanation)));
    }
    const auto add = [&](const char* key, const std::optional<tensor::Comparison>& part) {
      if (part)
        attributes.emplace_back(key, Attribute::String(verdict::ShortNumber(part->total.SqnrDb())));
    };
    add("weight_sqnr_db", layer.weight);
    add("output_sqnr_db", layer.local);
    add("accumulated_sqnr_db", layer.accumulated);
  }

  void AddBytes(const std::string& name, std::uint64_t bytes) {
    if (bytes == 0) return;
    resources_.push_back({.node_name = name,
                          .total_bytes = static_cast<std::int64_t>(bytes),
                          .allocator_name = "weights"});
  }

  const model::ModelGraph& model_;
  const NodeFindings& findings_;
  writer::UniqueNames names_;
  std::unordered_map<model::TensorId, std::string> references_;
  proto::GraphBuilder graph_;
  std::vector<proto::NodeStats> resources_;
};

}  // namespace

GraphLog BuildGraphLog(const model::ModelGraph& model, const NodeFindings& findings) {
  return GraphLogBuilder(model, findings).Build();
}

}  // namespace cboard::compare
