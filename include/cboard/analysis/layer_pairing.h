// Which tensor of a compressed model corresponds to which tensor of its baseline, when passes have
// renamed, fused and replaced operations in between.
//
//   for (const LoggedPair& pair : PairLoggedLayers(baseline, variant).pairs) …
//
// `v0/cg/conv0/Relu` pairs with `v0/cg/conv0/conv2d/Conv2D_eightbit_requantize`: quantization fused
// convolution, normalization and activation into one operation that kept the convolution's name,
// while its output is the activation's.
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

// Each tensor is in at most one pair, with one of the same role and parameter. Takes time in
// proportion to the lengths of all names, times the logarithm of their number.
LoggedPairing PairLoggedLayers(std::span<const LayerTensor> baseline,
                               std::span<const LayerTensor> variant);

// How a pair was found, in words: "last operation of the chain fused in 'v0/cg/conv0'".
std::string Explain(const LoggedPair& pair, std::span<const LayerTensor> baseline,
                    std::span<const LayerTensor> variant);

// The operation to keep in FP32, for KeepFloatSnippet: v0/cg/conv0/conv2d/Conv2D for the pair
// above.
std::string FallbackOperation(const LayerTensor& variant);

}  // namespace cboard::analysis
