// Converts the layers of a Keras model to a GraphDef, by TensorBoard's rules. A layer becomes a
// node, and a nested model becomes a scope. Edges come from the inputs that a layer names or, in a
// sequential model, from the previous layer.
#include <simdjson.h>

#include <array>
#include <map>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "cboard/base/strings.h"
#include "cboard/reader/graph_query.h"

namespace cboard::reader {
namespace {

using protozero::pbf_writer;
using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr int kMaxDepth = 64;  // Max depth of nested models.

std::optional<object> ObjectAt(const object& parent, std::string_view key) {
  object found;
  if (parent[key].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<array> ArrayAt(const object& parent, std::string_view key) {
  array found;
  if (parent[key].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::string TextAt(const object& parent, std::string_view key) {
  std::string_view found;
  return parent[key].get(found) == simdjson::SUCCESS ? std::string(found) : std::string();
}

std::string Scoped(const std::string& scope, std::string_view name) {
  return scope.empty() ? std::string(name) : scope + "/" + std::string(name);
}

// Returns TensorFlow's number of a data type that Keras names. Returns 0 if the name is unknown.
int DataTypeNamed(std::string_view name) {
  constexpr std::string_view kReference = "_ref";
  const bool is_reference = name.ends_with(kReference);
  if (is_reference) name.remove_suffix(kReference.size());
  constexpr auto kNames = std::to_array<std::pair<std::string_view, proto::DataType>>({
      {"float16", proto::DataType::kHalf},        {"half", proto::DataType::kHalf},
      {"float32", proto::DataType::kFloat},       {"float", proto::DataType::kFloat},
      {"float64", proto::DataType::kDouble},      {"double", proto::DataType::kDouble},
      {"int8", proto::DataType::kInt8},           {"int16", proto::DataType::kInt16},
      {"int32", proto::DataType::kInt32},         {"int64", proto::DataType::kInt64},
      {"uint8", proto::DataType::kUint8},         {"uint16", proto::DataType::kUint16},
      {"uint32", proto::DataType::kUint32},       {"uint64", proto::DataType::kUint64},
      {"string", proto::DataType::kString},       {"bool", proto::DataType::kBool},
      {"complex64", proto::DataType::kComplex64}, {"complex128", proto::DataType::kComplex128},
      {"qint8", proto::DataType::kQint8},         {"quint8", proto::DataType::kQuint8},
      {"qint16", proto::DataType::kQint16},       {"quint16", proto::DataType::kQuint16},
      {"qint32", proto::DataType::kQint32},       {"bfloat16", proto::DataType::kBfloat16},
      {"resource", proto::DataType::kResource},   {"variant", proto::DataType::kVariant},
  });
  for (const auto& [known, dtype] : kNames) {
    if (known == name) return static_cast<int>(dtype) + (is_reference ? 100 : 0);
  }
  return 0;
}

// The source of a tensor: a layer, and the index of an output of this layer.
struct Inbound {
  std::string layer;
  std::int64_t output = 0;
};

// Parses "inbound_nodes", which has a list of arguments for each call of the layer. The
// "keras_history" of an argument names its source. Returns nullopt if the layer has no such list.
std::optional<std::vector<Inbound>> InboundOf(const object& layer) {
  const std::optional<array> calls = ArrayAt(layer, "inbound_nodes");
  if (!calls) return std::nullopt;
  std::vector<Inbound> inbound;
  const auto add = [&](element argument) {
    object fields;
    if (argument.get(fields) != simdjson::SUCCESS) return;
    const auto config = ObjectAt(fields, "config");
    const auto history = config ? ArrayAt(*config, "keras_history") : std::nullopt;
    if (!history || history->size() < 3) return;
    Inbound one;
    std::string_view name;
    if (history->at(0).get(name) != simdjson::SUCCESS) return;
    one.layer = name;
    if (history->at(2).get(one.output) != simdjson::SUCCESS) one.output = 0;
    inbound.push_back(std::move(one));
  };
  for (const element call : *calls) {
    object fields;
    // Skips calls in the format of Keras 2, as TensorBoard does.
    if (call.get(fields) != simdjson::SUCCESS) continue;
    const auto arguments = ArrayAt(fields, "args");
    if (!arguments) continue;
    for (const element argument : *arguments) {
      array several;
      if (argument.get(several) == simdjson::SUCCESS) {
        for (const element one : several) add(one);
      } else {
        add(argument);
      }
    }
  }
  return inbound;
}

class KerasGraph {
 public:
  Result<void> Add(const object& layer, const std::string& scope, int depth) {
    const std::optional<object> config = ObjectAt(layer, "config");
    if (!config) {
      return Fail(ErrorCode::kDataLoss, "the logged Keras model is damaged: a layer in scope " +
                                            Quoted(scope) + " has no \"config\"");
    }
    const std::optional<array> layers = ArrayAt(*config, "layers");
    if (!layers) return AddLayer(layer, *config, scope);
    if (layers->size() == 0) {
      return Fail(ErrorCode::kDataLoss,
                  "the logged Keras model " + Quoted(TextAt(*config, "name")) + " has no layers");
    }
    if (depth == kMaxDepth) {
      return Fail(ErrorCode::kResourceExhausted,
                  "the logged Keras model has nested models that are more than " +
                      std::to_string(kMaxDepth) + " levels deep");
    }
    const std::string name = Scoped(scope, TextAt(*config, "name"));
    EnterModel(layer, *config, *layers, scope, name);
    for (const element inner : *layers) {
      object fields;
      if (inner.get(fields) != simdjson::SUCCESS) {
        return Fail(ErrorCode::kDataLoss, "the logged Keras model is damaged: a layer of " +
                                              Quoted(name) + " is not a JSON object");
      }
      CBOARD_RETURN_IF_ERROR(Add(fields, name, depth + 1));
    }
    return {};
  }

  std::string Take() { return std::move(graph_); }

 private:
  // Stores how the inputs and outputs of a nested model are connected to the layers around it.
  void EnterModel(const object& layer, const object& config, const array& layers,
                  const std::string& scope, const std::string& name) {
    const auto inputs = ArrayAt(config, "input_layers");
    const auto outputs = ArrayAt(config, "output_layers");
    const bool functional = inputs && outputs && inputs->size() > 0 && outputs->size() > 0;
    const std::vector<Inbound> inbound = InboundOf(layer).value_or(std::vector<Inbound>());
    if (!inbound.empty() && functional) {
      std::size_t i = 0;
      for (const element input : *inputs) {
        if (i == inbound.size()) break;
        std::string_view input_name;
        if (input.get(input_name) == simdjson::SUCCESS) {
          source_of_input_[Scoped(name, input_name)] = Scoped(scope, inbound[i].layer);
        }
        ++i;
      }
    } else if (!inbound.empty()) {
      previous_ = Scoped(scope, inbound[0].layer);
    } else if (previous_ && functional) {
      std::string_view input_name;
      if (inputs->at(0).get(input_name) == simdjson::SUCCESS) {
        source_of_input_[Scoped(name, input_name)] = *previous_;
      }
    }

    std::vector<std::string>& names = outputs_of_model_[name];
    names.clear();
    const auto add_output = [&](const array& output) {
      std::string_view output_name;
      if (output.at(0).get(output_name) == simdjson::SUCCESS) {
        names.push_back(Scoped(name, output_name));
      }
    };
    if (functional) {
      array first;
      if (outputs->at(0).get(first) != simdjson::SUCCESS) {
        add_output(*outputs);  // A single output: ["dense", 0, 0].
      } else {
        for (const element output : *outputs) {
          array one;
          if (output.get(one) == simdjson::SUCCESS) add_output(one);
        }
      }
      return;
    }
    object last;
    if (layers.at(layers.size() - 1).get(last) != simdjson::SUCCESS) return;
    if (const auto last_config = ObjectAt(last, "config")) {
      names.push_back(Scoped(name, TextAt(*last_config, "name")));
    }
  }

  Result<void> AddLayer(const object& layer, const object& config, const std::string& scope) {
    const std::string name = Scoped(scope, TextAt(config, "name"));
    pbf_writer graph(graph_);
    pbf_writer node(graph, 1);
    node.add_string(1, name);
    if (const auto inbound = InboundOf(layer)) {
      for (const Inbound& from : *inbound) node.add_string(3, SourceOf(from, scope));
    } else if (previous_) {
      node.add_string(3, *previous_);
    }
    if (const auto found = source_of_input_.find(name); found != source_of_input_.end()) {
      node.add_string(3, found->second);
    }
    const auto add_attribute = [&](std::string_view key, const auto& write) {
      pbf_writer entry(node, 5);
      entry.add_string(1, key.data(), key.size());
      pbf_writer value(entry, 2);
      write(value);
    };
    if (const int dtype = DataTypeOf(config); dtype != 0) {
      add_attribute("dtype", [&](pbf_writer& value) { value.add_enum(6, dtype); });
    }
    std::string_view class_name;
    if (layer["class_name"].get(class_name) == simdjson::SUCCESS) {
      add_attribute("keras_class", [&](pbf_writer& value) {
        value.add_bytes(2, class_name.data(), class_name.size());
      });
    }
    previous_ = name;
    return {};
  }

  // Returns the node that produces a tensor. It is a layer. If the source is a nested model, it is
  // the layer that produces the output of the model.
  std::string SourceOf(const Inbound& from, const std::string& scope) const {
    const std::string name = Scoped(scope, from.layer);
    const auto found = outputs_of_model_.find(name);
    if (found == outputs_of_model_.end() || found->second.empty()) return name;
    const std::vector<std::string>& outputs = found->second;
    const auto index = static_cast<std::uint64_t>(from.output);
    return index < outputs.size() ? outputs[index] : outputs.back();
  }

  // Returns the data type of a layer. "dtype" is a name, or a policy with a name in its config.
  static int DataTypeOf(const object& config) {
    if (const auto policy = ObjectAt(config, "dtype")) {
      const auto policy_config = ObjectAt(*policy, "config");
      return policy_config ? DataTypeNamed(TextAt(*policy_config, "name")) : 0;
    }
    return DataTypeNamed(TextAt(config, "dtype"));
  }

  std::string graph_;
  std::map<std::string, std::string> source_of_input_;
  std::map<std::string, std::vector<std::string>> outputs_of_model_;
  std::optional<std::string> previous_;
};

}  // namespace

Result<std::string> GraphDefOfKerasModel(std::string_view json) {
  simdjson::dom::parser parser;
  object model;
  const simdjson::error_code error = parser.parse(json.data(), json.size()).get(model);
  if (error != simdjson::SUCCESS) {
    return Fail(ErrorCode::kDataLoss,
                "the logged Keras model of " + std::to_string(json.size()) +
                    " bytes is not a JSON object: " + simdjson::error_message(error));
  }
  KerasGraph graph;
  CBOARD_RETURN_IF_ERROR(graph.Add(model, "", 0));
  return graph.Take();
}

}  // namespace cboard::reader
