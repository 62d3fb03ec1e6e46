// Which tensor of a compressed model corresponds to which tensor of its baseline, when passes have
// renamed, fused and replaced operations in between.
//
//   for (const LayerPair& pair : PairLayers(baseline, variant).pairs) …
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

namespace cboard::analysis {

enum class PairedBy {
  kName,                // The same name.
  kScope,               // The last operation of a chain that was fused, in the same scope.
  kSuffix,              // The same name without what quantization appended.
  kFusedChild,          // conv1.0, the first part of a fused module, is conv1.
  kStrippedCharacters,  // One side lost characters: StripObserverCharacters.
};

// "name", "scope", "suffix", "fused_child", "stripped_characters".
std::string_view NameOf(PairedBy how);

struct LayerPair {
  std::size_t baseline = 0;  // Index in the baseline's tensors.
  std::size_t variant = 0;
  PairedBy how = PairedBy::kName;

  friend bool operator==(const LayerPair&, const LayerPair&) = default;
};

struct LayerPairing {
  std::vector<LayerPair> pairs = {};  // In the order of the baseline's tensors.
  std::vector<std::size_t> baseline_only = {};
  std::vector<std::size_t> variant_only = {};
};

// Each tensor is in at most one pair, with one of the same role and parameter. Takes time in
// proportion to the lengths of all names, times the logarithm of their number.
LayerPairing PairLayers(std::span<const LayerTensor> baseline,
                        std::span<const LayerTensor> variant);

// How a pair was found, in words: "last operation of the chain fused in 'v0/cg/conv0'".
std::string Explain(const LayerPair& pair, std::span<const LayerTensor> baseline,
                    std::span<const LayerTensor> variant);

// The operation to keep in FP32, for KeepFloatSnippet: v0/cg/conv0/conv2d/Conv2D for the pair
// above.
std::string FallbackOperation(const LayerTensor& variant);

}  // namespace cboard::analysis
