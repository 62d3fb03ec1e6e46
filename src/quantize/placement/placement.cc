#include "quantize/placement/placement.h"

#include <algorithm>
#include <array>

namespace cboard::quantize {
namespace {

constexpr auto kMoves = std::to_array<std::string_view>(
    {"Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "MaxPool", "Resize", "Slice",
     "Split", "Gather", "Expand", "DepthToSpace", "SpaceToDepth"});
constexpr auto kElementwise = std::to_array<std::string_view>(
    {"Add", "Mul", "Concat", "Sigmoid", "LeakyRelu", "GlobalAveragePool", "AveragePool"});

template <std::size_t N>
bool Contains(const std::array<std::string_view, N>& names, const Node& node) {
  return node.domain.empty() && std::ranges::find(names, node.op_type) != names.end();
}

bool IsFloatWeight(const Constant* constant) {
  return constant != nullptr && constant->element_type == kFloat32 && constant->element_count() > 0;
}

bool IsFusable(const Node& node) { return node.Is("Relu") || node.Is("Clip"); }

// Returns the inputs that contain values, not shapes or indices.
std::vector<std::string> DataInputs(const Node& node) {
  if (node.Is("Add") || node.Is("Mul") || node.Is("Concat")) return node.inputs;
  return {node.Input(0)};
}

// Returns false for a Resize that computes new values or uses a region: it needs float.
bool CanMove(const Node& node) {
  if (node.Is("Resize")) {
    return node.Text("mode", "nearest") == "nearest" &&
           node.Text("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize";
  }
  if (node.Is("MaxPool")) return node.outputs.size() == 1;
  return true;
}

std::string KeptReason(const Graph& graph, const Node& node, const QuantizeOptions& options) {
  for (const std::string& pattern : options.keep_float) {
    const auto matches = [&](const std::string& text) {
      return !text.empty() && MatchesPattern(pattern, text);
    };
    bool is_kept =
        matches(node.name) || pattern == node.op_type || std::ranges::any_of(node.outputs, matches);
    for (const std::string& input : node.inputs) {
      is_kept = is_kept || (graph.FindConstant(input) != nullptr && matches(input));
    }
    if (is_kept) return "kept in float by --keep-float " + pattern;
  }
  return {};
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<std::size_t> WeightInput(const Graph& graph, const Node& node) {
  const bool has_weight =
      node.Is("Conv") || node.Is("ConvTranspose") || node.Is("Gemm") || node.Is("MatMul");
  if (!has_weight || !IsFloatWeight(graph.FindConstant(node.Input(1)))) return std::nullopt;
  if (graph.FindConstant(node.Input(0)) != nullptr) return std::nullopt;
  return 1;
}

namespace {

class Placer {
 public:
  Placer(const Graph& graph, const QuantizeOptions& options)
      : graph_(graph), index_(graph), options_(options), placement_{.nodes = {}, .tensors = {}} {
    placement_.nodes.resize(graph.nodes.size());
  }

  Placement Place() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) placement_.nodes[i] = FirstRole(i);
    while (RemoveUnconnected()) {
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) AddTensors(i);
    ShareScales();
    return std::move(placement_);
  }

 private:
  NodeRole RoleOf(std::size_t node) const {
    return node == GraphIndex::kNone ? NodeRole::kFloat : placement_.nodes[node].role;
  }

  PlacedNode FirstRole(std::size_t i) const {
    const Node& node = graph_.nodes[i];
    std::string kept = KeptReason(graph_, node, options_);
    if (!kept.empty()) return {NodeRole::kFloat, std::move(kept)};
    if (node.Is("Conv") || node.Is("Gemm") || node.Is("MatMul")) {
      if (!WeightInput(graph_, node)) return {NodeRole::kFloat, "its weight is no constant"};
      const Constant& weight = *graph_.FindConstant(node.inputs[1]);
      if (node.Is("Gemm") && (node.Float("alpha", 1) != 1 || node.Float("beta", 1) != 1 ||
                              node.Int("transA", 0) != 0)) {
        return {NodeRole::kFloat, "a Gemm with alpha, beta or transA has no integer kernel"};
      }
      if (node.Is("MatMul") && weight.shape.size() < 2) {
        return {NodeRole::kFloat, "a product with a vector has no integer kernel"};
      }
      return {NodeRole::kCompute, ""};
    }
    if (node.Is("ConvTranspose")) {
      if (!WeightInput(graph_, node)) return {NodeRole::kFloat, "its weight is no constant"};
      return {NodeRole::kWeightOnly, "ConvTranspose has no integer kernel; its weight has 8 bits"};
    }
    if (IsTable(node)) return {NodeRole::kTable, ""};
    if (IsFusable(node)) return {NodeRole::kFused, ""};
    if (Contains(kMoves, node) && CanMove(node) && !graph_.FindConstant(node.Input(0))) {
      return {NodeRole::kMove, ""};
    }
    if (Contains(kElementwise, node)) return {NodeRole::kElementwise, ""};
    return {};
  }

  // Returns true for a lookup in a constant that only such lookups use. TensorRT supports only
  // float tables.
  bool IsTable(const Node& node) const {
    constexpr std::size_t kMinBytes = 16 << 10;
    const auto is_lookup = [&](const Node& one) {
      return one.Is("Gather") && one.Int("axis", 0) == 0 && !graph_.FindConstant(one.Input(1));
    };
    const Constant* const table = is_lookup(node) ? graph_.FindConstant(node.Input(0)) : nullptr;
    if (!IsFloatWeight(table) || table->shape.size() < 2 || table->elements.size() < kMinBytes ||
        index_.IsOutput(node.inputs[0]) || options_.target == Target::kTensorRt) {
      return false;
    }
    return std::ranges::all_of(index_.Consumers(node.inputs[0]), [&](std::size_t consumer) {
      const Node& one = graph_.nodes[consumer];
      return is_lookup(one) && one.inputs[0] == node.inputs[0] && !one.HasBody();
    });
  }

  // Returns true if the tensor is quantized before the node: computed by Conv, or by an operator
  // that stays in integers. Outputs of Gemm and MatMul are float unless a quantized operator uses
  // them.
  bool IsInteger(const std::string& tensor) const {
    const std::size_t producer = index_.Producer(tensor);
    switch (RoleOf(producer)) {
      case NodeRole::kCompute:
        return graph_.nodes[producer].Is("Conv");
      case NodeRole::kElementwise:
      case NodeRole::kMove:
        return true;
      case NodeRole::kFused:
        return IsInteger(graph_.nodes[producer].Input(0));
      default:
        return false;
    }
  }

  bool IsWanted(const std::string& tensor) const {
    return std::ranges::any_of(index_.Consumers(tensor), [&](std::size_t consumer) {
      const Node& node = graph_.nodes[consumer];
      switch (RoleOf(consumer)) {
        case NodeRole::kCompute:
        case NodeRole::kElementwise:
        case NodeRole::kMove:
          return true;
        case NodeRole::kFused:
          return IsWanted(node.outputs[0]);
        default:
          return false;
      }
    });
  }

  bool RemoveUnconnected() {
    bool has_changed = false;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      NodeRole& role = placement_.nodes[i].role;
      if (role != NodeRole::kElementwise && role != NodeRole::kMove) continue;
      bool is_integer = false, is_float = false;
      for (const std::string& input : DataInputs(node)) {
        if (graph_.FindConstant(input) != nullptr) continue;
        (IsInteger(input) ? is_integer : is_float) = true;
      }
      const bool is_wanted = std::ranges::any_of(
          node.outputs, [&](const std::string& output) { return IsWanted(output); });
      if (is_integer && !is_float && is_wanted) continue;
      role = NodeRole::kFloat;
      has_changed = true;
    }
    return has_changed;
  }

  // Returns the tensor that is quantized instead of `tensor`: the output of a following Relu or
  // Clip if nothing else uses `tensor`.
  std::string BehindFused(std::string tensor) const {
    while (true) {
      const std::size_t next = index_.OnlyConsumer(tensor);
      if (next == GraphIndex::kNone || RoleOf(next) != NodeRole::kFused) return tensor;
      tensor = graph_.nodes[next].outputs[0];
    }
  }

  void Add(const std::string& tensor) {
    if (tensor.empty() || graph_.FindConstant(tensor) != nullptr) return;
    placement_.tensors.try_emplace(tensor, PlacedTensor{});
  }

  void AddTensors(std::size_t i) {
    const Node& node = graph_.nodes[i];
    switch (RoleOf(i)) {
      case NodeRole::kCompute:
        // Matrices have their features in the last dimension.
        Add(node.inputs[0]);
        placement_.tensors[node.inputs[0]].channel_axis = node.Is("Conv") ? 1 : kLastAxis;
        if (node.Is("Conv")) Add(BehindFused(node.outputs[0]));
        break;
      case NodeRole::kElementwise:
        for (const std::string& input : DataInputs(node)) Add(input);
        Add(BehindFused(node.outputs[0]));
        break;
      case NodeRole::kMove:
        Add(node.inputs[0]);
        for (const std::string& output : node.outputs) Add(BehindFused(output));
        break;
      default:
        break;
    }
  }

  void ShareScales() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (RoleOf(i) != NodeRole::kMove) continue;
      const Node& node = graph_.nodes[i];
      for (const std::string& output : node.outputs) {
        const auto placed = placement_.tensors.find(output);
        if (placed != placement_.tensors.end()) placed->second.shares = node.inputs[0];
      }
    }
  }

  const Graph& graph_;
  GraphIndex index_;
  const QuantizeOptions& options_;
  Placement placement_;
};

}  // namespace

Placement PlaceQuantizers(const Graph& graph, const QuantizeOptions& options) {
  return Placer(graph, options).Place();
}

}  // namespace cboard::quantize
