#include "cboard/analysis/graph_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/graph/computation_order.h"
#include "analysis/graph/graph_names.h"

namespace cboard::analysis {
namespace {

constexpr auto kConstantOps = std::to_array<std::string_view>(
    {"Const", "Constant", "Initializer", "prim::Constant", "onnx::Constant", "prim::GetAttr",
     "VariableV2", "VarHandleOp"});

// Attributes with the output type of a node, in order of preference.
constexpr auto kOutputTypeKeys = std::to_array<std::string_view>(
    {"Toutput", "out_type", "DstT", "output_type", "dtype", "T", "element_type"});

constexpr std::string_view kWeightAnnotation = ".weights";
constexpr std::string_view kActivationAnnotation = ".activation";
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 50;

const std::string* FindAttribute(const reader::GraphNode& node, std::string_view key) {
  const auto found =
      std::ranges::lower_bound(node.attributes, key, {}, &reader::GraphAttribute::key);
  return found != node.attributes.end() && found->key == key ? &found->text : nullptr;
}

// Multiplies with an upper limit, so that an extreme shape in a file cannot overflow.
std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kMaxElements / a ? kMaxElements : a * b;
}

std::uint64_t ElementsOf(const proto::Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::int64_t size : shape) {
    elements = Times(elements, size < 0 ? 1 : static_cast<std::uint64_t>(size));
  }
  return elements;
}

// Returns the number of elements of a shape such as "[64, 3, 7, 7]" anywhere in `text`; nullopt
// without brackets.
std::optional<std::uint64_t> ElementsInText(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  std::uint64_t elements = 1;
  for (std::size_t at = open + 1; at < close;) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + close, size);
    if (error == std::errc() && size >= 0)
      elements = Times(elements, static_cast<std::uint64_t>(size));
    const std::size_t comma = text.find(',', at);
    at = comma == std::string_view::npos ? close : comma + 1;
    while (at < close && text[at] == ' ') ++at;
  }
  return elements;
}

// Returns the number of elements of a constant, from its shape or its value.
std::uint64_t ElementsOfConstant(const reader::GraphNode& node) {
  if (!node.output_shapes.empty() && node.output_shapes.front()) {
    return ElementsOf(*node.output_shapes.front());
  }
  for (const std::string_view key : {"shape", "value"}) {
    if (const std::string* text = FindAttribute(node, key)) {
      if (const auto elements = ElementsInText(*text)) return *elements;
    }
  }
  return 0;
}

std::uint8_t OutputBitsOf(const reader::GraphNode& node) {
  for (const std::string_view key : kOutputTypeKeys) {
    if (const std::string* text = FindAttribute(node, key)) {
      if (const std::uint8_t bits = BitsOfType(*text)) return bits;
    }
  }
  // Reads the element type at the beginning of "FLOAT [64, 3]: …".
  if (const std::string* value = FindAttribute(node, "value")) {
    return BitsOfType(std::string_view(*value).substr(0, value->find(' ')));
  }
  return 0;
}

// Reads a width such as "activation_n_bits": 8 from a node or from its annotation.
void ReadConfiguredBits(const reader::GraphNode& node, bool about_weights, bool about_activation,
                        NodeFacts& facts) {
  for (const reader::GraphAttribute& attribute : node.attributes) {
    const std::string key = LowerCase(attribute.key);
    if (key.find("bits") == std::string::npos) continue;
    unsigned bits = 0;
    const char* const end = attribute.text.data() + attribute.text.size();
    const auto [stop, error] = std::from_chars(attribute.text.data(), end, bits);
    if (error != std::errc() || stop != end || bits == 0 || bits > 64) continue;
    const auto width = static_cast<std::uint8_t>(bits);
    if (about_weights || key.find("weight") != std::string::npos) facts.weight_bits = width;
    if (about_activation || key.find("activation") != std::string::npos)
      facts.activation_bits = width;
  }
}

class FactCollector {
 public:
  explicit FactCollector(const reader::Graph& graph)
      : graph_(graph), order_(OrderOfComputation(graph)), facts_(graph.nodes.size()) {}

  std::vector<NodeFacts> Collect() {
    FindAnnotations();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const reader::GraphNode& node = graph_.nodes[i];
      facts_[i].constant = std::ranges::find(kConstantOps, node.op) != kConstantOps.end();
      facts_[i].activation_bits = IsQuantizedOperation(node.op) ? 8 : OutputBitsOf(node);
      if (IsDequantizeOperation(node.op)) facts_[i].activation_bits = 32;
    }
    FindComputedConstants();
    // Edges are sorted by `to`, so in most cases the bit width of a source is set before it is
    // used.
    for (const reader::GraphEdge& edge : graph_.edges) {
      if (edge.control) continue;
      NodeFacts& to = facts_[edge.to];
      const NodeFacts& from = facts_[edge.from];
      if (!from.constant && to.activation_bits == 0) to.activation_bits = from.activation_bits;
    }
    AddWeights();
    ApplyAnnotations();
    FindCodes();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) AddOutputBytes(i);
    return std::move(facts_);
  }

 private:
  auto InputsOf(std::uint32_t node) const {
    return std::ranges::equal_range(graph_.edges, node, {}, &reader::GraphEdge::to) |
           std::views::filter([](const reader::GraphEdge& edge) { return !edge.control; });
  }

  // Constants need not be graph inputs: `compare` logs constants as attributes of their users, so
  // nodes without inputs also count.
  void FindComputedConstants() {
    for (const std::uint32_t node : order_) {
      if (facts_[node].constant || !KeepsValues(graph_.nodes[node].op)) continue;
      facts_[node].constant = std::ranges::all_of(
          InputsOf(node),
          [&](const reader::GraphEdge& edge) { return facts_[edge.from].constant; });
    }
  }

  void AddWeights() {
    std::vector<std::uint64_t> largest(graph_.nodes.size(), 0);
    for (const reader::GraphEdge& edge : graph_.edges) {
      if (edge.control || KeepsValues(graph_.nodes[edge.from].op)) continue;
      if (facts_[edge.from].constant) Use(edge.from, edge.to, largest);
    }
    // A weight with a DequantizeLinear counts for the user of the dequantized values.
    for (const reader::GraphEdge& edge : graph_.edges) {
      const NodeFacts& from = facts_[edge.from];
      if (edge.control || from.weight_bytes == 0) continue;
      if (!from.constant && !IsDequantizeOperation(graph_.nodes[edge.from].op)) continue;
      facts_[edge.to].weight_bytes += from.weight_bytes;
      if (largest[edge.from] <= largest[edge.to]) continue;
      const bool rounds = IsQuantizeOperation(graph_.nodes[edge.from].op);
      facts_[edge.to].weight_bits = rounds ? from.activation_bits : from.weight_bits;
      largest[edge.to] = largest[edge.from];
    }
  }

  // In ONNX, a node between DequantizeLinear and QuantizeLinear runs on integer codes, in one
  // quantized kernel. A node with float weights or a float input runs in float.
  void FindCodes() {
    std::vector<char> read_as_float(graph_.nodes.size(), 0);
    std::vector<std::uint8_t> bits(graph_.nodes.size(), 0);
    const auto ends_in_codes = [&](std::uint32_t node) {
      return bits[node] != 0 && !read_as_float[node] && facts_[node].weight_bits < 16 &&
             !IsQuantizedOperation(graph_.nodes[node].op);
    };
    for (const std::uint32_t node : std::views::reverse(order_)) {
      const bool quantizes = graph_.nodes[node].op == "QuantizeLinear";
      const std::uint8_t width = quantizes             ? facts_[node].activation_bits
                                 : ends_in_codes(node) ? bits[node]
                                                       : std::uint8_t{0};
      for (const reader::GraphEdge& edge : InputsOf(node)) {
        bits[edge.from] = std::max(bits[edge.from], width);
        if (width == 0) read_as_float[edge.from] = 1;
      }
    }
    const auto begins_in_codes = [&](std::uint32_t node) {
      auto inputs = InputsOf(node);
      const auto gives_codes = [&](const reader::GraphEdge& edge) {
        const NodeFacts& from = facts_[edge.from];
        return from.constant || from.in_codes || IsDequantizeOperation(graph_.nodes[edge.from].op);
      };
      return !std::ranges::empty(inputs) && std::ranges::all_of(inputs, gives_codes);
    };
    for (const std::uint32_t node : order_) {
      if (facts_[node].constant || !ends_in_codes(node)) continue;
      if (!IsDequantizeOperation(graph_.nodes[node].op) && !begins_in_codes(node)) continue;
      facts_[node].in_codes = true;
      facts_[node].activation_bits = bits[node];
    }
  }

  void FindAnnotations() {
    std::unordered_map<std::string_view, std::uint32_t> by_name;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i)
      by_name.emplace(graph_.nodes[i].name, i);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::string_view name = graph_.nodes[i].name;
      for (const std::string_view suffix : {kWeightAnnotation, kActivationAnnotation}) {
        if (!name.ends_with(suffix)) continue;
        const auto about = by_name.find(name.substr(0, name.size() - suffix.size()));
        if (about != by_name.end()) facts_[i].annotates = about->second;
      }
    }
  }

  void ApplyAnnotations() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const reader::GraphNode& node = graph_.nodes[i];
      const std::size_t about = facts_[i].annotates.value_or(i);
      ReadConfiguredBits(node, about != i && node.name.ends_with(kWeightAnnotation),
                         about != i && node.name.ends_with(kActivationAnnotation), facts_[about]);
    }
  }

  // Takes the largest constant as the weight, because scales and zero points are also constants.
  void Use(std::uint32_t constant, std::uint32_t user, std::vector<std::uint64_t>& largest) {
    const std::uint64_t elements = ElementsOfConstant(graph_.nodes[constant]);
    if (elements <= 1) return;
    const std::uint8_t bits = facts_[constant].activation_bits;
    facts_[user].weight_bytes += Times(elements, bits == 0 ? 32 : bits) / 8;
    if (elements > largest[user]) {
      largest[user] = elements;
      facts_[user].weight_bits = bits;
    }
  }

  void AddOutputBytes(std::size_t i) {
    if (facts_[i].constant) return;
    const std::uint8_t bits = facts_[i].activation_bits == 0 ? 32 : facts_[i].activation_bits;
    for (const auto& shape : graph_.nodes[i].output_shapes) {
      if (shape) facts_[i].output_bytes += Times(ElementsOf(*shape), bits) / 8;
    }
  }

  const reader::Graph& graph_;
  const std::vector<std::uint32_t> order_;
  std::vector<NodeFacts> facts_;
};

// In stage logs, values pass through annotation nodes: conv1, conv1.activation, relu. An edge of an
// annotation is moved to the node that the annotation describes.
void JoinAnnotations(const std::vector<NodeFacts>& facts, reader::Graph& graph) {
  const auto node = [&](std::uint32_t index) {
    // Repeats, because an annotation may describe another annotation.
    while (facts[index].annotates) index = *facts[index].annotates;
    return index;
  };
  for (reader::GraphEdge& edge : graph.edges) {
    const bool is_note = facts[edge.from].annotates || facts[edge.to].annotates;
    if (!is_note) continue;
    edge.from = node(edge.from);
    edge.to = node(edge.to);
  }
  std::erase_if(graph.edges, [](const reader::GraphEdge& edge) { return edge.from == edge.to; });
  std::ranges::stable_sort(graph.edges, {}, &reader::GraphEdge::to);
}

}  // namespace

MeasuredGraph MeasureGraph(reader::Graph graph, const reader::GraphProfile* profile) {
  const std::size_t costs = profile == nullptr ? 0 : profile->costs.size();
  for (std::size_t i = 0; i < costs; ++i) {
    reader::GraphNode& node = graph.nodes[i];
    if (!profile->costs[i] || !node.output_shapes.empty()) continue;
    const auto& shapes = profile->costs[i]->output_shapes;
    node.output_shapes.assign(shapes.begin(), shapes.end());
  }
  // Loggers for TensorBoard store the operator or its type as the device, so that nodes are
  // coloured by it.
  for (reader::GraphNode& node : graph.nodes) {
    if (node.device == node.op || BitsOfType(node.device) != 0) node.device.clear();
  }
  MeasuredGraph measured;
  measured.facts = FactCollector(graph).Collect();
  JoinAnnotations(measured.facts, graph);
  measured.graph = std::move(graph);
  for (std::size_t i = 0; i < costs; ++i) {
    const std::optional<reader::NodeCost>& cost = profile->costs[i];
    if (!cost) continue;
    measured.facts[i].memory_bytes = cost->memory_bytes;
    measured.facts[i].compute_micros = cost->compute_micros;
    measured.has_memory = measured.has_memory || cost->memory_bytes > 0;
    measured.has_time = measured.has_time || cost->compute_micros > 0;
  }
  return measured;
}

}  // namespace cboard::analysis
