#include "quantize/graph/graph.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <queue>

#include "cboard/proto/onnx.h"
#include "cboard/tensor/convert.h"
#include "proto/wire_writer.h"

namespace cboard::quantize {
namespace {

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename To, typename From>
void Convert(std::string_view bytes, std::vector<To>& out) {
  out.resize(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < out.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    out[i] = static_cast<To>(value);
  }
}

void CollectNames(std::string_view body, std::vector<std::string>& names) {
  const auto graph = proto::ParseOnnxGraph(body);
  if (!graph) return;
  for (const proto::OnnxNode& node : graph->nodes) {
    names.insert(names.end(), node.inputs.begin(), node.inputs.end());
    names.insert(names.end(), node.outputs.begin(), node.outputs.end());
    for (const proto::OnnxAttribute& attribute : node.attributes) {
      for (const std::string_view inner : attribute.graphs) CollectNames(inner, names);
    }
  }
  for (const proto::OnnxTensor& tensor : graph->initializers) names.emplace_back(tensor.name);
  for (const proto::OnnxValueInfo& output : graph->outputs) names.emplace_back(output.name);
}

}  // namespace

std::size_t ElementBytes(int element_type) {
  switch (element_type) {
    case kUint8:
    case kInt8:
    case kBool:
      return 1;
    case kUint16:
    case kInt16:
    case kFloat16:
    case 16:  // bfloat16
      return 2;
    case kFloat32:
    case kInt32:
    case 12:  // uint32
      return 4;
    case kInt64:
    case 11:  // double
    case 13:  // uint64
      return 8;
    default:
      return 0;
  }
}

Constant Constant::Of(int element_type, std::vector<std::int64_t> shape, std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  Constant constant{.element_type = element_type, .shape = std::move(shape), .elements = *owner};
  constant.owner = std::move(owner);
  return constant;
}

Constant Constant::Floats(std::vector<std::int64_t> shape, std::vector<float> values) {
  auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  Constant constant{.element_type = kFloat32, .shape = std::move(shape)};
  constant.elements = {reinterpret_cast<const char*>(owner->data()), owner->size() * 4};
  constant.owner = std::move(owner);
  return constant;
}

Constant Constant::Int64s(std::vector<std::int64_t> values) {
  return Of(kInt64, {static_cast<std::int64_t>(values.size())}, BytesOf(values));
}

std::size_t Constant::element_count() const {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

std::vector<float> Constant::ToFloats() const {
  std::vector<float> values;
  switch (element_type) {
    case kFloat32:
      values.resize(elements.size() / 4);
      if (!values.empty()) std::memcpy(values.data(), elements.data(), values.size() * 4);
      break;
    case kFloat16:
      values.resize(elements.size() / 2);
      tensor::HalvesToFloats(elements.data(), values);
      break;
    case kInt8:
      Convert<float, std::int8_t>(elements, values);
      break;
    case kUint8:
      Convert<float, std::uint8_t>(elements, values);
      break;
    case kInt32:
      Convert<float, std::int32_t>(elements, values);
      break;
    case kInt64:
      Convert<float, std::int64_t>(elements, values);
      break;
    default:
      break;
  }
  return values;
}

std::vector<std::int64_t> Constant::ToInts() const {
  std::vector<std::int64_t> values;
  if (element_type == kInt64) Convert<std::int64_t, std::int64_t>(elements, values);
  if (element_type == kInt32) Convert<std::int64_t, std::int32_t>(elements, values);
  return values;
}

Attribute Attribute::Int(std::string name, std::int64_t value) {
  Attribute attribute{.name = std::move(name), .ints = {value}};
  attribute.encoded = proto::EncodeMessage([&](auto& fields) {
    fields.Text(1, attribute.name);
    fields.PresentInt(3, value);
    fields.Int(20, 2);
  });
  return attribute;
}

Attribute Attribute::Ints(std::string name, const std::vector<std::int64_t>& values) {
  Attribute attribute{.name = std::move(name), .ints = values};
  attribute.encoded = proto::EncodeMessage([&](auto& fields) {
    fields.Text(1, attribute.name);
    for (const std::int64_t value : values) fields.PresentInt(8, value);
    fields.Int(20, 7);
  });
  return attribute;
}

Attribute Attribute::Float(std::string name, float value) {
  Attribute attribute{.name = std::move(name), .floats = {value}};
  attribute.encoded = proto::EncodeMessage([&](auto& fields) {
    fields.Text(1, attribute.name);
    fields.PresentFloat(2, value);
    fields.Int(20, 1);
  });
  return attribute;
}

Attribute Attribute::Text(std::string name, std::string_view value) {
  Attribute attribute{.name = std::move(name), .strings = {std::string(value)}};
  attribute.encoded = proto::EncodeMessage([&](auto& fields) {
    fields.Text(1, attribute.name);
    fields.PresentBytes(4, value);
    fields.Int(20, 3);
  });
  return attribute;
}

Attribute Attribute::Body(std::string name, std::string graph) {
  Attribute attribute{.name = std::move(name)};
  attribute.encoded = proto::EncodeMessage([&](auto& fields) {
    fields.Text(1, attribute.name);
    fields.PresentBytes(6, graph);
    fields.Int(20, 5);
  });
  attribute.graphs = {std::move(graph)};
  return attribute;
}

Attribute Attribute::Tensor(std::string name, Constant value) {
  Attribute attribute{.name = std::move(name)};
  attribute.encoded = proto::EncodeMessage([&](auto& fields) {
    fields.Text(1, attribute.name);
    fields.Message(5, [&](auto& tensor) {
      for (const std::int64_t size : value.shape) tensor.PresentInt(1, size);
      tensor.Int(2, value.element_type);
      tensor.PresentBytes(9, value.elements);
    });
    fields.Int(20, 4);
  });
  attribute.tensor = std::move(value);
  return attribute;
}

const Attribute* Node::Find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t Node::Int(std::string_view attribute, std::int64_t otherwise) const {
  const Attribute* const found = Find(attribute);
  return found == nullptr || found->ints.empty() ? otherwise : found->ints[0];
}

float Node::Float(std::string_view attribute, float otherwise) const {
  const Attribute* const found = Find(attribute);
  return found == nullptr || found->floats.empty() ? otherwise : found->floats[0];
}

std::vector<std::int64_t> Node::Ints(std::string_view attribute) const {
  const Attribute* const found = Find(attribute);
  return found == nullptr ? std::vector<std::int64_t>{} : found->ints;
}

std::string Node::Text(std::string_view attribute, std::string otherwise) const {
  const Attribute* const found = Find(attribute);
  return found == nullptr || found->strings.empty() ? otherwise : found->strings[0];
}

void Node::Set(Attribute attribute) {
  Remove(attribute.name);
  attributes.push_back(std::move(attribute));
}

void Node::Remove(std::string_view attribute) {
  std::erase_if(attributes, [&](const Attribute& one) { return one.name == attribute; });
}

bool Node::HasBody() const {
  return std::ranges::any_of(attributes, [](const Attribute& one) { return !one.graphs.empty(); });
}

const std::string& Node::Input(std::size_t index) const {
  static const std::string nothing;
  return index < inputs.size() ? inputs[index] : nothing;
}

std::int64_t Graph::opset() const {
  const auto found = opsets.find("");
  return found == opsets.end() ? 1 : found->second;
}

const Constant* Graph::FindConstant(std::string_view constant) const {
  const auto found = constants.find(std::string(constant));
  return found == constants.end() ? nullptr : &found->second;
}

std::string Graph::UniqueName(const std::string& stem) {
  std::string unique = stem;
  for (int i = 1; !used_names.insert(unique).second; ++i) unique = stem + "_" + std::to_string(i);
  return unique;
}

std::vector<std::string> NamesInBodies(const Node& node) {
  std::vector<std::string> names;
  for (const Attribute& attribute : node.attributes) {
    for (const std::string& body : attribute.graphs) CollectNames(body, names);
  }
  std::erase(names, "");
  return names;
}

GraphIndex::GraphIndex(const Graph& graph) {
  const auto take = [&](const std::string& tensor, std::size_t node) {
    if (tensor.empty()) return;
    std::vector<std::size_t>& nodes = consumers_[tensor];
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    for (const std::string& output : node.outputs) {
      if (!output.empty()) producers_.emplace(output, i);
    }
    for (const std::string& input : node.inputs) take(input, i);
    if (!node.HasBody()) continue;
    for (const std::string& name : NamesInBodies(node)) take(name, i);
  }
  for (const Value& output : graph.outputs) outputs_.insert(output.name);
}

std::size_t GraphIndex::Producer(const std::string& tensor) const {
  const auto found = producers_.find(tensor);
  return found == producers_.end() ? kNone : found->second;
}

std::span<const std::size_t> GraphIndex::Consumers(const std::string& tensor) const {
  const auto found = consumers_.find(tensor);
  if (found == consumers_.end()) return {};
  return found->second;
}

std::size_t GraphIndex::OnlyConsumer(const std::string& tensor) const {
  const auto consumers = Consumers(tensor);
  return consumers.size() == 1 && !IsOutput(tensor) ? consumers[0] : kNone;
}

void RemoveUnused(Graph& graph) {
  const GraphIndex index(graph);
  std::vector<bool> is_needed(graph.nodes.size());
  std::unordered_set<std::string> needed;
  std::vector<std::string> todo;
  const auto need = [&](const std::string& tensor) {
    if (!tensor.empty() && needed.insert(tensor).second) todo.push_back(tensor);
  };
  for (const Value& output : graph.outputs) need(output.name);
  while (!todo.empty()) {
    const std::string tensor = std::move(todo.back());
    todo.pop_back();
    const std::size_t producer = index.Producer(tensor);
    if (producer == GraphIndex::kNone || is_needed[producer]) continue;
    is_needed[producer] = true;
    for (const std::string& input : graph.nodes[producer].inputs) need(input);
    for (const std::string& name : NamesInBodies(graph.nodes[producer])) need(name);
  }
  std::size_t place = 0;
  std::erase_if(graph.nodes, [&](const Node&) { return !is_needed[place++]; });
  std::erase_if(graph.constants, [&](const auto& entry) { return !needed.contains(entry.first); });
  std::erase_if(graph.values, [&](const Value& value) { return !needed.contains(value.name); });
}

void SortNodes(Graph& graph) {
  const GraphIndex index(graph);
  const std::size_t count = graph.nodes.size();
  std::vector<std::size_t> missing(count);
  std::vector<std::vector<std::size_t>> next(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> inputs = graph.nodes[i].inputs;
    const auto inner = NamesInBodies(graph.nodes[i]);
    inputs.insert(inputs.end(), inner.begin(), inner.end());
    std::ranges::sort(inputs);
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    for (const std::string& input : inputs) {
      const std::size_t producer = index.Producer(input);
      if (producer == GraphIndex::kNone || producer == i) continue;
      ++missing[i];
      next[producer].push_back(i);
    }
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i) {
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<Node> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    sorted.push_back(std::move(graph.nodes[i]));
    for (const std::size_t after : next[i]) {
      if (--missing[after] == 0) ready.push(after);
    }
  }
  if (sorted.size() == count) graph.nodes = std::move(sorted);  // Otherwise the model has a cycle.
}

}  // namespace cboard::quantize
