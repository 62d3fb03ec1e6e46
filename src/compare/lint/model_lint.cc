#include "cboard/compare/model_lint.h"

#include <algorithm>
#include <array>

#include "compare/lint/graph_lint.h"

namespace cboard::compare {

std::string_view NameOf(LintRule rule) {
  constexpr std::array<std::string_view, 8> kNames = {
      "float_island",  "unfused_pair",      "unequal_scales", "per_tensor_depthwise",
      "bias_overflow", "weight_zero_point", "float_weights",  "integer_convolution"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::vector<LintFinding> LintModel(const model::ModelGraph& model) {
  std::vector<LintFinding> findings;
  const bool is_quantized = std::ranges::any_of(
      model.tensors(),
      [](const model::ModelTensor& tensor) { return tensor.quantization.has_value(); });
  if (!is_quantized || model.nodes().empty()) return findings;
  LintIslands(model, findings);
  LintScales(model, findings);
  LintIntegerConvolutions(model, findings);
  std::ranges::stable_sort(findings, [](const LintFinding& a, const LintFinding& b) {
    if (a.harm_bits != b.harm_bits) return a.harm_bits > b.harm_bits;
    return a.rule < b.rule;
  });
  return findings;
}

}  // namespace cboard::compare
