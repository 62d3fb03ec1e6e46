#include "cboard/analysis/node_comparer.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "cboard/analysis/node_weights.h"

namespace cboard::analysis {
namespace {

using Differences = std::vector<NodeDifference>;

void Add(std::string_view what, const std::string& a, const std::string& b, Differences& to) {
  if (a != b) to.push_back({std::string(what), a, b});
}

// A value that only one graph has is not a difference.
void AddKnown(std::string_view what, const std::string& a, const std::string& b, Differences& to) {
  if (!a.empty() && !b.empty()) Add(what, a, b, to);
}

std::string ShapesText(const reader::GraphNode& node) {
  std::string text;
  for (const auto& shape : node.output_shapes) {
    text += text.empty() ? "" : ", ";
    if (!shape) {
      text += "?";
      continue;
    }
    text += "[";
    for (std::size_t i = 0; i < shape->size(); ++i) {
      text += i == 0 ? "" : ", ";
      text += (*shape)[i] < 0 ? "?" : std::to_string((*shape)[i]);
    }
    text += "]";
  }
  return text;
}

std::string BitsText(std::uint8_t bits) { return bits == 0 ? "" : std::to_string(bits); }

// Returns true if the attributes hold a diagnosis of `compare`. A diagnosis always has a level. It
// is not compared, because it is not a setting of the node, and the other graph has no diagnosis.
bool HasFindings(const std::vector<reader::GraphAttribute>& attributes) {
  return std::ranges::binary_search(attributes, "level", {}, &reader::GraphAttribute::key);
}

bool IsFinding(std::string_view key) {
  return key == "bits" || key == "level" || key == "cause" || key == "explanation" ||
         key.ends_with("_sqnr_db");
}

// Compares two lists of attributes that are sorted by key. `named` turns a key into the name of the
// difference.
template <typename Named>
void CompareAttributes(const std::vector<reader::GraphAttribute>& a,
                       const std::vector<reader::GraphAttribute>& b, const Named& named,
                       Differences& to) {
  const bool has_findings = HasFindings(a) || HasFindings(b);
  auto i = a.begin();
  auto k = b.begin();
  while (i != a.end() || k != b.end()) {
    const bool only_a = k == b.end() || (i != a.end() && i->key < k->key);
    const bool only_b = !only_a && (i == a.end() || k->key < i->key);
    const std::string& key = only_b ? k->key : i->key;
    const bool is_said = key == "_output_shapes" || IsFirstValues(key) ||
                         // The bit width is not reported if the element type, which is reported
                         // too, contains it.
                         (key == "weight_bits" && !only_a && !only_b) ||
                         (has_findings && IsFinding(key));
    if (!is_said) {
      Add(named(key), only_b ? "" : i->text, only_a ? "" : k->text, to);
    }
    if (!only_b) ++i;
    if (!only_a) ++k;
  }
}

bool IsAnnotation(const MeasuredGraph& measured, std::uint32_t node) {
  return measured.facts[node].annotates.has_value();
}

// Returns the kind of an annotation: "weights" for "conv1.weights".
std::string_view AnnotationKindOf(const reader::GraphNode& note) {
  return std::string_view(note.name).substr(note.name.rfind('.') + 1);
}

}  // namespace

NodeComparer::Side::Side(const MeasuredGraph& graph)
    : measured(graph), about(graph.graph.nodes.size()) {
  for (std::uint32_t i = 0; i < about.size(); ++i) {
    if (const auto node = graph.facts[i].annotates) about[*node].push_back(i);
  }
  for (const reader::GraphEdge& edge : graph.graph.edges) {  // Sorted by `to`, then by input.
    const std::string& op = graph.graph.nodes[edge.to].op;
    if (edge.control || !graph.facts[edge.from].constant) continue;
    if (IsQuantizedOperation(op) || IsDequantizeOperation(op)) about[edge.to].push_back(edge.from);
  }
}

NodeComparer::NodeComparer(const MeasuredGraph& a, const MeasuredGraph& b) : a_(a), b_(b) {}

Differences NodeComparer::Compare(std::uint32_t a, std::uint32_t b) const {
  const reader::GraphNode& node_a = a_.measured.graph.nodes[a];
  const reader::GraphNode& node_b = b_.measured.graph.nodes[b];
  const NodeFacts& facts_a = a_.measured.facts[a];
  const NodeFacts& facts_b = b_.measured.facts[b];
  Differences differences;
  Add("op", node_a.op, node_b.op, differences);
  Add("device", node_a.device, node_b.device, differences);
  AddKnown("output shape", ShapesText(node_a), ShapesText(node_b), differences);
  AddKnown("weight bits", BitsText(facts_a.weight_bits), BitsText(facts_b.weight_bits),
           differences);
  AddKnown("activation bits", BitsText(facts_a.activation_bits), BitsText(facts_b.activation_bits),
           differences);
  CompareAttributes(
      node_a.attributes, node_b.attributes,
      [](const std::string& key) -> std::string_view { return key; }, differences);
  CompareAnnotations(a, b, differences);
  CompareConstants(a, b, differences);
  return differences;
}

void NodeComparer::CompareAnnotations(std::uint32_t a, std::uint32_t b, Differences& to) const {
  using Notes = std::map<std::string_view, const reader::GraphNode*>;
  const auto notes_of = [](const Side& side, std::uint32_t node) {
    Notes notes;
    for (const std::uint32_t other : side.about[node]) {
      if (!IsAnnotation(side.measured, other)) continue;
      const reader::GraphNode& note = side.measured.graph.nodes[other];
      notes.emplace(AnnotationKindOf(note), &note);
    }
    return notes;
  };
  if (a_.about[a].empty() && b_.about[b].empty()) return;
  Notes notes_a = notes_of(a_, a);
  Notes notes_b = notes_of(b_, b);
  for (const auto& [kind, note] : notes_a) notes_b.emplace(kind, nullptr);
  const std::vector<reader::GraphAttribute> none;
  for (const auto& [kind, note_b] : notes_b) {
    const reader::GraphNode* const note_a = notes_a[kind];
    const auto named = [&](const std::string& key) {
      return key.starts_with(kind) ? key : std::string(kind) + " " + key;
    };
    CompareAttributes(note_a == nullptr ? none : note_a->attributes,
                      note_b == nullptr ? none : note_b->attributes, named, to);
  }
}

// Compares constants by their position among the inputs: exporters often number their names.
void NodeComparer::CompareConstants(std::uint32_t a, std::uint32_t b, Differences& to) const {
  const auto constants_of = [](const Side& side, std::uint32_t node) {
    std::vector<const reader::GraphNode*> constants;
    for (const std::uint32_t other : side.about[node]) {
      if (!IsAnnotation(side.measured, other))
        constants.push_back(&side.measured.graph.nodes[other]);
    }
    return constants;
  };
  const auto in_a = constants_of(a_, a);
  const auto in_b = constants_of(b_, b);
  // If the numbers of constants differ, the operators differ too, and that difference is already
  // reported.
  if (in_a.size() != in_b.size()) return;
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    const std::string* const value_a = ValueOf(*in_a[i]);
    const std::string* const value_b = ValueOf(*in_b[i]);
    if (value_a == nullptr || value_b == nullptr) continue;
    const std::string_view name = in_a[i]->name;
    Add(name.substr(name.rfind('/') + 1), *value_a, *value_b, to);
  }
}

}  // namespace cboard::analysis
