// Which layers to keep in floating point, in the words of the programs that quantize.
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

// How activations are quantized; decides which function of the quantizer is used.
enum class QuantizationScheme {
  kStatic,      // They are quantized with ranges from calibration.
  kDynamic,     // … while the model runs.
  kWeightOnly,  // They stay as they are.
};

// Those that the toolchain has functions of their own for; the first is static.
std::span<const QuantizationScheme> SchemesOf(Toolchain toolchain);

// "onnxruntime", "onnxruntime_weight_only"; "ONNX Runtime", "ONNX Runtime, weights only".
std::string NameOf(Toolchain toolchain, QuantizationScheme scheme);
std::string TitleOf(Toolchain toolchain, QuantizationScheme scheme);

// A tensor between layers that needs another quantizer than the others.
struct ActivationOverride {
  std::string tensor;
  int bits = 8;  // 8 or 16.
  bool is_signed = false;
  bool is_symmetric = false;
  // Range of the values that have codes; if not set, calibration finds it.
  std::optional<std::pair<double, double>> range;
};

// Python code for quantize_static of ONNX Runtime with these overrides, ready to paste; empty for
// none. Ends with a newline.
std::string OverridesSnippet(std::span<const ActivationOverride> overrides);

// Configuration that keeps these layers in FP32, to be copied and pasted; empty for none. Ends with
// a newline.
std::string KeepFloatSnippet(std::span<const std::string> layers, Toolchain toolchain,
                             QuantizationScheme scheme = QuantizationScheme::kStatic);

}  // namespace cboard::compare
