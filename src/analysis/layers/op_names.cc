#include "analysis/layers/op_names.h"

#include <algorithm>
#include <array>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/layers.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kEightBit = "_eightbit_";

// Suffixes that quantizers append to the name of a replaced operator, longer ones first.
constexpr auto kSuffixes = std::to_array<std::string_view>({
    "_DequantizeLinear_Output_1",
    "_DequantizeLinear_Output",
    "_QuantizeLinear_Output",
    "_QuantizeLinear_Input",
    "_DequantizeLinear",
    "_QuantizeLinear",
    "_qint8_const",
    "_dequantize",
    "_quantized",
    "qint8_const",
});

constexpr auto kChainStarts = std::to_array<std::string_view>(
    {"Conv2D", "DepthwiseConv2dNative", "depthwise", "MatMul", "Conv3D", "convolution",
     "Conv2DBackpropInput", "conv2d_transpose"});

struct ChainPart {
  std::string_view operation;
  int rank;
};
constexpr auto kChainParts = std::to_array<ChainPart>({{"BiasAdd", 1},
                                                       {"FusedBatchNorm", 2},
                                                       {"FusedBatchNormV2", 2},
                                                       {"FusedBatchNormV3", 2},
                                                       {"add", 3},
                                                       {"Add", 3},
                                                       {"AddV2", 3},
                                                       {"Relu", 4},
                                                       {"Relu6", 4},
                                                       {"LeakyRelu", 4}});

// Removes the number that TensorFlow appends to repeated names: Relu_1 becomes Relu.
std::string_view OperationOf(std::string_view name) {
  std::string_view operation = LastPart(name);
  const std::size_t digits = operation.find_last_not_of("0123456789");
  if (digits != std::string_view::npos && digits + 1 < operation.size() &&
      operation[digits] == '_') {
    operation = operation.substr(0, digits);
  }
  return operation;
}

}  // namespace

bool IsChainStart(std::string_view name) {
  return std::ranges::find(kChainStarts, OperationOf(name)) != kChainStarts.end();
}

int ChainRank(std::string_view name) {
  const auto found = std::ranges::find(kChainParts, OperationOf(name), &ChainPart::operation);
  return found == kChainParts.end() ? 0 : found->rank;
}

bool IsFusedOperation(std::string_view name) {
  return LastPart(name).find(kEightBit) != std::string_view::npos;
}

std::string_view OriginalName(std::string_view name) {
  // The ending begins with _eightbit_: _eightbit_requantize, _eightbit_quantized_conv,
  // _eightbit_min_0.
  const std::size_t start = name.size() - LastPart(name).size();
  const std::size_t eight_bit = name.find(kEightBit, start);
  if (eight_bit != std::string_view::npos && eight_bit > start) return name.substr(0, eight_bit);
  for (const std::string_view suffix : kSuffixes) {
    if (name.ends_with(suffix) && name.size() > start + suffix.size()) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

}  // namespace cboard::analysis
