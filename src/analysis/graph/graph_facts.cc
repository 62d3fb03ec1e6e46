#include "cboard/analysis/graph_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cboard::analysis {
namespace {

constexpr auto kConstantOps = std::to_array<std::string_view>(
    {"Const", "Constant", "Initializer", "prim::Constant", "onnx::Constant", "prim::GetAttr",
     "VariableV2", "VarHandleOp"});

// The first of these that a node has says what it gives.
constexpr auto kOutputTypeKeys = std::to_array<std::string_view>(
    {"Toutput", "out_type", "DstT", "output_type", "dtype", "T", "element_type"});

constexpr std::string_view kWeightNote = ".weights";
constexpr std::string_view kActivationNote = ".activation";
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 50;

const std::string* FindAttribute(const GraphNode& node, std::string_view key) {
  const auto found = std::ranges::lower_bound(node.attributes, key, {}, &GraphAttribute::key);
  return found != node.attributes.end() && found->key == key ? &found->text : nullptr;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Saturates, so that a hostile shape cannot wrap around.
std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kMostElements / a ? kMostElements : a * b;
}

std::uint64_t ElementsOf(const proto::Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::int64_t size : shape) {
    elements = Times(elements, size < 0 ? 1 : static_cast<std::uint64_t>(size));
  }
  return elements;
}

// Of "[64, 3, 7, 7]" wherever it stands in `text`; nothing without brackets.
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

// The constant's elements, by its shape or by the value itself.
std::uint64_t ElementsOfConstant(const GraphNode& node) {
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

std::uint8_t OutputBitsOf(const GraphNode& node) {
  for (const std::string_view key : kOutputTypeKeys) {
    if (const std::string* text = FindAttribute(node, key)) {
      if (const std::uint8_t bits = BitsOfType(*text)) return bits;
    }
  }
  // "FLOAT [64, 3]: …" begins with its type.
  if (const std::string* value = FindAttribute(node, "value")) {
    return BitsOfType(std::string_view(*value).substr(0, value->find(' ')));
  }
  return 0;
}

bool IsQuantize(std::string_view op) {
  return op == "QuantizeLinear" || op == "QuantizeV2" || op == "Quantize" ||
         op == "aten::quantize_per_tensor" || op == "aten::quantize_per_channel";
}

// "activation_n_bits": 8, in a node or in a note about it.
void ReadConfiguredBits(const GraphNode& node, bool about_weights, bool about_activation,
                        NodeFacts& facts) {
  for (const GraphAttribute& attribute : node.attributes) {
    const std::string key = Lower(attribute.key);
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
  explicit FactCollector(const Graph& graph) : graph_(graph), facts_(graph.nodes.size()) {}

  std::vector<NodeFacts> Collect() {
    FindNotes();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      facts_[i].constant = std::ranges::find(kConstantOps, node.op) != kConstantOps.end();
      facts_[i].activation_bits = IsQuantizedOperation(node.op) ? 8 : OutputBitsOf(node);
      if (IsDequantizeOperation(node.op)) facts_[i].activation_bits = 32;
    }
    std::vector<std::uint64_t> largest(graph_.nodes.size(), 0);
    for (const GraphEdge& edge : graph_.edges) {  // By `to`, so sources mostly come first.
      if (edge.control) continue;
      NodeFacts& to = facts_[edge.to];
      const NodeFacts& from = facts_[edge.from];
      if (!from.constant && to.activation_bits == 0) to.activation_bits = from.activation_bits;
    }
    for (const GraphEdge& edge : graph_.edges) {
      if (edge.control) continue;
      if (facts_[edge.from].constant) Use(edge.from, edge.to, largest);
    }
    // A weight behind its DequantizeLinear belongs to who uses that one.
    for (const GraphEdge& edge : graph_.edges) {
      const NodeFacts& from = facts_[edge.from];
      if (edge.control || from.weight_bytes == 0) continue;
      if (!IsDequantizeOperation(graph_.nodes[edge.from].op)) continue;
      facts_[edge.to].weight_bytes += from.weight_bytes;
      if (largest[edge.from] <= largest[edge.to]) continue;
      facts_[edge.to].weight_bits = from.weight_bits;
      largest[edge.to] = largest[edge.from];
    }
    ApplyNotes();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) AddOutputBytes(i);
    return std::move(facts_);
  }

 private:
  void FindNotes() {
    std::unordered_map<std::string_view, std::uint32_t> by_name;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i)
      by_name.emplace(graph_.nodes[i].name, i);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::string_view name = graph_.nodes[i].name;
      for (const std::string_view suffix : {kWeightNote, kActivationNote}) {
        if (!name.ends_with(suffix)) continue;
        const auto about = by_name.find(name.substr(0, name.size() - suffix.size()));
        if (about != by_name.end()) facts_[i].note_about = about->second;
      }
    }
  }

  void ApplyNotes() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      const std::size_t about = facts_[i].note_about.value_or(i);
      ReadConfiguredBits(node, about != i && node.name.ends_with(kWeightNote),
                         about != i && node.name.ends_with(kActivationNote), facts_[about]);
    }
  }

  // Scales and zero points are constants too; the largest is the weight.
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

  const Graph& graph_;
  std::vector<NodeFacts> facts_;
};

// Stage logs lead values through their notes: conv1, conv1.activation, relu. What enters or leaves
// a note enters or leaves the node that it is about.
void JoinNotes(const std::vector<NodeFacts>& facts, Graph& graph) {
  const auto node = [&](std::uint32_t index) {
    while (facts[index].note_about) index = *facts[index].note_about;  // Ever shorter names.
    return index;
  };
  for (GraphEdge& edge : graph.edges) {
    const bool is_note = facts[edge.from].note_about || facts[edge.to].note_about;
    if (!is_note) continue;
    edge.from = node(edge.from);
    edge.to = node(edge.to);
  }
  std::erase_if(graph.edges, [](const GraphEdge& edge) { return edge.from == edge.to; });
  std::ranges::stable_sort(graph.edges, {}, &GraphEdge::to);
}

}  // namespace

std::uint8_t BitsOfType(std::string_view name) {
  std::string type = Lower(name);
  for (const std::string_view prefix : {"dt_", "torch."}) {
    if (type.starts_with(prefix)) type.erase(0, prefix.size());
  }
  if (type.ends_with("_ref")) type.resize(type.size() - 4);
  if (type == "float" || type == "fp32" || type == "f32") return 32;
  if (type == "double" || type == "fp64" || type == "f64") return 64;
  if (type == "half" || type == "fp16" || type == "f16" || type == "bf16") return 16;
  if (type == "bool") return 8;
  // int8, uint8, qint8, float16, bfloat16, i8, u4, float8_e4m3fn: letters, then the width.
  const std::size_t digit = type.find_first_of("0123456789");
  if (digit == std::string::npos || digit == 0) return 0;
  const std::string_view letters = std::string_view(type).substr(0, digit);
  constexpr auto kLetters = std::to_array<std::string_view>(
      {"int", "uint", "qint", "quint", "float", "bfloat", "i", "u", "f", "nf", "fp"});
  if (std::ranges::find(kLetters, letters) == kLetters.end()) return 0;
  unsigned bits = 0;
  std::from_chars(type.data() + digit, type.data() + type.size(), bits);
  return bits <= 64 ? static_cast<std::uint8_t>(bits) : std::uint8_t{0};
}

bool IsQuantizedOperation(std::string_view op) {
  return IsQuantize(op) || op.starts_with("QLinear") || op.starts_with("QGemm") ||
         op.starts_with("Quantized") || op.starts_with("_Quantized") ||
         op.starts_with("quantized::") || op.ends_with("Integer") ||
         op.find("_eightbit") != std::string_view::npos;
}

bool IsDequantizeOperation(std::string_view op) {
  return op == "DequantizeLinear" || op == "Dequantize" || op == "aten::dequantize";
}

MeasuredGraph MeasureGraph(Graph graph, const GraphProfile* profile) {
  const std::size_t costs = profile == nullptr ? 0 : profile->costs.size();
  for (std::size_t i = 0; i < costs; ++i) {
    GraphNode& node = graph.nodes[i];
    if (!profile->costs[i] || !node.output_shapes.empty()) continue;
    const auto& shapes = profile->costs[i]->output_shapes;
    node.output_shapes.assign(shapes.begin(), shapes.end());
  }
  MeasuredGraph measured;
  measured.facts = FactCollector(graph).Collect();
  JoinNotes(measured.facts, graph);
  measured.graph = std::move(graph);
  for (std::size_t i = 0; i < costs; ++i) {
    const std::optional<NodeCost>& cost = profile->costs[i];
    if (!cost) continue;
    measured.facts[i].memory_bytes = cost->memory_bytes;
    measured.facts[i].compute_micros = cost->compute_micros;
    measured.has_memory = measured.has_memory || cost->memory_bytes > 0;
    measured.has_time = measured.has_time || cost->compute_micros > 0;
  }
  return measured;
}

}  // namespace cboard::analysis
