// Generates the setting that keeps layers in float, for several quantization tools.
//
//   for (const Toolchain toolchain : kToolchains) {
//     TitleOf(toolchain), KeepFloatSnippet({"/conv1/Conv"}, toolchain);
//   }
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace cboard::compare {

enum class Toolchain {
  kOnnxRuntime,
  kNeuralCompressorOpWise,  // Version 1 and LPOT: op_wise, in YAML.
  kNeuralCompressor,        // Version 2: op_name_dict, in Python.
  kNncf,
  kAimet,
  kTflite,
  kTensorRt,
};
inline constexpr Toolchain kToolchains[] = {Toolchain::kOnnxRuntime,
                                            Toolchain::kNeuralCompressorOpWise,
                                            Toolchain::kNeuralCompressor,
                                            Toolchain::kNncf,
                                            Toolchain::kAimet,
                                            Toolchain::kTflite,
                                            Toolchain::kTensorRt};

std::string_view NameOf(Toolchain toolchain);   // "onnxruntime", "neural_compressor_op_wise", …
std::string_view TitleOf(Toolchain toolchain);  // "ONNX Runtime", "neural-compressor 1.x", …

// How activations are quantized. It decides which function of the quantizer is used.
enum class QuantizationScheme {
  kStatic,      // With ranges from calibration.
  kDynamic,     // While the model runs.
  kWeightOnly,  // Activations stay in float.
};

// Returns the schemes for which the toolchain has separate functions; the first scheme is kStatic.
std::span<const QuantizationScheme> SchemesOf(Toolchain toolchain);

// Returns the name of a toolchain as a key ("onnxruntime", "onnxruntime_weight_only") or as a title
// ("ONNX Runtime", "ONNX Runtime, weights only").
std::string NameOf(Toolchain toolchain, QuantizationScheme scheme);
std::string TitleOf(Toolchain toolchain, QuantizationScheme scheme);

// An activation tensor that needs other quantization settings than the default.
struct ActivationOverride {
  std::string tensor;
  int bits = 8;  // 8 or 16.
  bool is_signed = false;
  bool is_symmetric = false;
  // Range of values that the codes represent; if it is not set, calibration determines the range.
  std::optional<std::pair<double, double>> range;
};

// Returns Python code for quantize_static of ONNX Runtime with the given overrides, ready to paste;
// empty if there are no overrides. Ends with a newline.
std::string OverridesSnippet(std::span<const ActivationOverride> overrides);

// Returns the configuration that keeps the given layers in FP32, ready to paste; empty if there are
// no layers. Ends with a newline.
std::string KeepFloatSnippet(std::span<const std::string> layers, Toolchain toolchain,
                             QuantizationScheme scheme = QuantizationScheme::kStatic);

}  // namespace cboard::compare
