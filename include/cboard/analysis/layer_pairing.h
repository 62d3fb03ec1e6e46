// Finds the tensor of a compressed model that corresponds to a tensor of its baseline, although
// compression renamed, fused or replaced operators.
//
//   for (const LoggedPair& pair : PairLoggedLayers(baseline, variant).pairs) …
//
// Example: `v0/cg/conv0/Relu` pairs with `v0/cg/conv0/conv2d/Conv2D_eightbit_requantize`.
// Quantization fused convolution, normalization and activation into one operator. The operator has
// the convolution's name, but its output is that of the activation.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/layers.h"
#include "cboard/verdict/damage.h"

namespace cboard::analysis {

using verdict::NameOf;
using verdict::PairedBy;

struct LoggedPair {
  std::size_t baseline = 0;  // Index in the baseline's tensors.
  std::size_t variant = 0;
  PairedBy how = PairedBy::kName;

  friend bool operator==(const LoggedPair&, const LoggedPair&) = default;
};

struct LoggedPairing {
  std::vector<LoggedPair> pairs = {};  // In the order of the baseline's tensors.
  std::vector<std::size_t> baseline_only = {};
  std::vector<std::size_t> variant_only = {};
};

// Pairs the tensors of two variants. Each tensor is in at most one pair; both tensors of a pair
// have the same role and parameter. Takes time proportional to n log n, where n is the total length
// of all names.
LoggedPairing PairLoggedLayers(std::span<const LayerTensor> baseline,
                               std::span<const LayerTensor> variant);

// Explains in words how a pair was found: "last operation of the chain fused in 'v0/cg/conv0'".
std::string Explain(const LoggedPair& pair, std::span<const LayerTensor> baseline,
                    std::span<const LayerTensor> variant);

// The name of the operator to keep in FP32, for KeepFloatSnippet. For the layer v0/cg/conv0/Relu,
// which is fused with its convolution, it is v0/cg/conv0/conv2d/Conv2D.
std::string FallbackOperation(const LayerTensor& variant);

}  // namespace cboard::analysis
