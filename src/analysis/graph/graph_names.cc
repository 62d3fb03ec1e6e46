#include "analysis/graph/graph_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "cboard/analysis/graph_facts.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// Returns true for an operator name with a number, such as "Conv2d_0" for Conv2d.
bool IsNumberedOperation(std::string_view part, std::string_view op) {
  if (op.empty() || !part.starts_with(op)) return false;
  part.remove_prefix(op.size());
  if (part.size() < 2 || part.front() != '_') return false;
  return std::ranges::all_of(part.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

// Returns the node's own name in a stage log, after the names of model and operator. The names of
// ONNX nodes may contain slashes.
std::string_view OwnNameInStage(const reader::GraphNode& node,
                                const std::vector<std::string_view>& parts) {
  const bool is_end = parts.size() >= 2 && (parts[0] == "Input" || parts[0] == "Output");
  const bool is_inside = parts.size() >= 3 && IsNumberedOperation(parts[1], node.op);
  if (!is_end && !is_inside) return {};
  const std::string_view name = node.name;
  return name.substr(static_cast<std::size_t>(parts[is_end ? 1 : 2].data() - name.data()));
}

}  // namespace

std::string_view InsideBrackets(std::string_view part) {
  const std::size_t open = part.find('[');
  if (open == std::string_view::npos || !part.ends_with(']')) return part;
  return part.substr(open + 1, part.size() - open - 2);
}

std::string LayerOf(const reader::GraphNode& node) {
  const std::vector<std::string_view> parts = Split(node.name, '/');
  std::string layer(OwnNameInStage(node, parts));
  if (!layer.empty()) return layer;
  for (const std::string_view part : parts) {
    const std::string_view module = InsideBrackets(part);
    if (module.size() == part.size()) continue;
    if (!layer.empty()) layer += '.';
    layer += module;
  }
  return layer;
}

namespace {

constexpr auto kQuantizeOps = std::to_array<std::string_view>(
    {"QuantizeLinear", "QuantizeV2", "Quantize", "aten::quantize_per_tensor",
     "aten::quantize_per_channel", "quantize_per_tensor", "quantize_per_channel"});
constexpr auto kDequantizeOps = std::to_array<std::string_view>(
    {"DequantizeLinear", "Dequantize", "aten::dequantize", "dequantize"});

constexpr auto kListOps =
    std::to_array<std::string_view>({"prim::ListConstruct", "prim::TupleConstruct"});

bool Contains(const auto& ops, std::string_view op) {
  return std::ranges::find(ops, op) != ops.end();
}

}  // namespace

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::uint8_t BitsOfType(std::string_view name) {
  std::string type = LowerCase(name);
  for (const std::string_view prefix : {"dt_", "torch."}) {
    if (type.starts_with(prefix)) type.erase(0, prefix.size());
  }
  if (type.ends_with("_ref")) type.resize(type.size() - 4);
  if (type == "float" || type == "fp32" || type == "f32") return 32;
  if (type == "double" || type == "fp64" || type == "f64") return 64;
  if (type == "half" || type == "fp16" || type == "f16" || type == "bf16") return 16;
  if (type == "bool") return 8;
  // Finds the bit width in int8, uint8, qint8, float16, bfloat16, i8, u4, float8_e4m3fn: letters,
  // then the width.
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

bool IsQuantizeOperation(std::string_view op) { return Contains(kQuantizeOps, op); }

bool IsQuantizedOperation(std::string_view op) {
  return IsQuantizeOperation(op) || op.starts_with("QLinear") || op.starts_with("QGemm") ||
         op.starts_with("Quantized") || op.starts_with("_Quantized") ||
         op.starts_with("quantized::") || op.ends_with("Integer") ||
         op.find("_eightbit") != std::string_view::npos;
}

bool IsDequantizeOperation(std::string_view op) { return Contains(kDequantizeOps, op); }

bool KeepsValues(std::string_view op) {
  return IsQuantizeOperation(op) || IsDequantizeOperation(op) || Contains(kListOps, op);
}

}  // namespace cboard::analysis
