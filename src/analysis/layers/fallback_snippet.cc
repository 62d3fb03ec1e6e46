#include "cboard/analysis/layer_pairing.h"

namespace cboard::analysis {
namespace {

// In single quotes, as Python reads them.
std::string PythonQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// In single quotes, as YAML reads them.
std::string YamlQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::string FallbackOperation(const LayerTensor& variant) {
  return std::string(OriginalName(variant.layer));
}

std::string FallbackSnippet(std::span<const std::string> operations, Toolchain toolchain) {
  if (operations.empty()) return {};
  std::string text;
  switch (toolchain) {
    case Toolchain::kLpotYaml:
      text = "op_wise: {\n";
      for (const std::string& operation : operations) {
        text +=
            "  " + YamlQuoted(operation) + ": {\n    'activation': {'dtype': ['fp32']},\n  },\n";
      }
      return text + "}\n";
    case Toolchain::kNeuralCompressor2:
      text = "op_name_dict={\n";
      for (const std::string& operation : operations) {
        text += "    " + PythonQuoted(operation) +
                ": {'activation': {'dtype': ['fp32']}, 'weight': {'dtype': ['fp32']}},\n";
      }
      return text + "}\n";
    case Toolchain::kOnnxRuntime:
      break;
  }
  text = "nodes_to_exclude=[\n";
  for (const std::string& operation : operations) text += "    " + PythonQuoted(operation) + ",\n";
  return text + "]\n";
}

}  // namespace cboard::analysis
