#include "cboard/compare/keep_float.h"

#include <array>
#include <charconv>

namespace cboard::compare {

std::string_view NameOf(Toolchain toolchain) {
  constexpr std::array<std::string_view, 7> kNames = {
      "onnxruntime", "neural_compressor_op_wise", "neural_compressor", "nncf", "aimet", "tflite",
      "tensorrt"};
  return kNames[static_cast<std::size_t>(toolchain)];
}

std::string_view TitleOf(Toolchain toolchain) {
  constexpr std::array<std::string_view, 7> kTitles = {
      "ONNX Runtime", "neural-compressor 1.x", "neural-compressor 2.x", "NNCF", "AIMET", "TFLite",
      "TensorRT"};
  return kTitles[static_cast<std::size_t>(toolchain)];
}

std::span<const QuantizationScheme> SchemesOf(Toolchain toolchain) {
  using enum QuantizationScheme;
  static constexpr QuantizationScheme kAll[] = {kStatic, kDynamic, kWeightOnly};
  static constexpr QuantizationScheme kTwo[] = {kStatic, kWeightOnly};
  switch (toolchain) {
    case Toolchain::kOnnxRuntime:
      return kAll;
    case Toolchain::kNeuralCompressor:
    case Toolchain::kNncf:
      return kTwo;
    default:
      return std::span(kAll).first(1);
  }
}

std::string NameOf(Toolchain toolchain, QuantizationScheme scheme) {
  constexpr std::array<std::string_view, 3> kSuffixes = {"", "_dynamic", "_weight_only"};
  return std::string(NameOf(toolchain)).append(kSuffixes[static_cast<std::size_t>(scheme)]);
}

std::string TitleOf(Toolchain toolchain, QuantizationScheme scheme) {
  constexpr std::array<std::string_view, 3> kSuffixes = {"", ", dynamic", ", weights only"};
  return std::string(TitleOf(toolchain)).append(kSuffixes[static_cast<std::size_t>(scheme)]);
}

namespace {

// Quotes a text in single quotes, for Python and YAML.

std::string PythonQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string YamlQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

// Returns `before`, the list ['a', 'b'] and `after`; long lists continue in the next lines.
std::string WithList(std::string before, std::span<const std::string> names,
                     std::string_view after) {
  constexpr std::size_t kWidth = 100;
  const std::size_t indent = before.size() - (before.rfind('\n') + 1) + 1;
  std::string text = std::move(before) + "[";
  std::size_t width = indent;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = PythonQuoted(names[i]) + (i + 1 < names.size() ? "," : "");
    if (i > 0) {
      const bool fits = width + 1 + name.size() <= kWidth;
      text += fits ? " " : "\n" + std::string(indent, ' ');
      width = fits ? width + 1 : indent;
    }
    text += name;
    width += name.size();
  }
  return text + "]" + std::string(after);
}

// Writes a number with six significant digits: ranges from samples are not more precise.
std::string PythonNumber(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
  return std::string(text.data(), end.ptr);
}

}  // namespace

std::string OverridesSnippet(std::span<const ActivationOverride> overrides) {
  if (overrides.empty()) return {};
  std::string text =
      "quantize_static(model_input, model_output, calibration_data_reader,\n"
      "                extra_options={'TensorQuantOverrides': {\n";
  for (const ActivationOverride& each : overrides) {
    std::string settings = "'quant_type': QuantType.Q" + std::string(each.is_signed ? "" : "U") +
                           "Int" + std::to_string(each.bits);
    if (each.is_signed && !each.is_symmetric) settings += ", 'symmetric': False";
    if (each.range) {
      // The option requires a NumPy dtype. Plain numbers of Python have no dtype.
      settings += ", 'rmin': np.float32(" + PythonNumber(each.range->first) +
                  "), 'rmax': np.float32(" + PythonNumber(each.range->second) + ")";
    }
    text += "                    " + PythonQuoted(each.tensor) + ": [{" + settings + "}],\n";
  }
  return text + "                }})\n";
}

namespace {

std::string OnnxRuntimeSnippet(std::span<const std::string> layers, QuantizationScheme scheme) {
  switch (scheme) {
    case QuantizationScheme::kStatic:
      return WithList(
          "quantize_static(model_input, model_output, calibration_data_reader,\n"
          "                nodes_to_exclude=",
          layers, ")\n");
    case QuantizationScheme::kDynamic:
      return WithList(
          "quantize_dynamic(model_input, model_output,\n"
          "                 nodes_to_exclude=",
          layers, ")\n");
    case QuantizationScheme::kWeightOnly:
      break;
  }
  // Names bits and block size only if they differ from the tool's defaults.
  return WithList(
      "quantizer = MatMulNBitsQuantizer(\n"
      "    model_input, bits=bits, block_size=block_size, is_symmetric=is_symmetric,\n"
      "    nodes_to_exclude=",
      layers,
      ")\n"
      "quantizer.process()\n"
      "quantizer.model.save_model_to_file(model_output)\n");
}

}  // namespace

std::string KeepFloatSnippet(std::span<const std::string> layers, Toolchain toolchain,
                             QuantizationScheme scheme) {
  if (layers.empty()) return {};
  const bool is_weight_only = scheme == QuantizationScheme::kWeightOnly;
  std::string text;
  switch (toolchain) {
    case Toolchain::kOnnxRuntime:
      return OnnxRuntimeSnippet(layers, scheme);
    case Toolchain::kNeuralCompressorOpWise:
      text = "quantization:\n  op_wise:\n";
      for (const std::string& layer : layers) {
        text += "    " + YamlQuoted(layer) +
                ":\n      activation: {dtype: ['fp32']}\n      weight: {dtype: ['fp32']}\n";
      }
      return text;
    case Toolchain::kNeuralCompressor:
      text = "PostTrainingQuantConfig(" +
             std::string(is_weight_only ? "approach='weight_only', " : "") + "op_name_dict={\n";
      for (const std::string& layer : layers) {
        text += "    " + PythonQuoted(layer) +
                ": {'activation': {'dtype': ['fp32']}, 'weight': {'dtype': ['fp32']}},\n";
      }
      return text + "})\n";
    case Toolchain::kNncf:
      return WithList(is_weight_only
                          ? "nncf.compress_weights(model,\n"
                            "                      ignored_scope=nncf.IgnoredScope(names="
                          : "nncf.quantize(model, calibration_dataset,\n"
                            "              ignored_scope=nncf.IgnoredScope(names=",
                      layers, "))\n");
    case Toolchain::kAimet:
      return WithList("for op in sim.connected_graph.ordered_ops:\n    if op.name in ", layers,
                      ":\n"
                      "        inputs, outputs, params = sim.get_op_quantizers(op)\n"
                      "        for quantizer in [*inputs, *outputs, *params.values()]:\n"
                      "            quantizer.enabled = False\n");
    case Toolchain::kTflite:
      return WithList(
          "options = tf.lite.experimental.QuantizationDebugOptions(\n"
          "    denylisted_nodes=",
          layers, ")\n");
    case Toolchain::kTensorRt:
      return WithList("for layer in network:\n    if layer.name in ", layers,
                      ":\n"
                      "        layer.precision = trt.float32\n"
                      "config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)\n");
  }
  return {};
}

}  // namespace cboard::compare
