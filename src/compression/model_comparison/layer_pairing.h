// Which layer of a compressed model is which one of its baseline.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cboard/compression/model_comparison.h"
#include "compression/model_comparison/model_layers.h"

namespace cboard::compare {

struct LayerPair {
  std::size_t baseline = 0;  // Positions in the lists of layers.
  std::size_t variant = 0;
  PairedBy how = PairedBy::kName;
  // The layer without a node is to be read with its other dimension as that of channels.
  bool is_baseline_transposed = false;
  bool is_variant_transposed = false;
};

// `layer` as a pair wants it read.
ModelLayer Oriented(ModelLayer layer, bool is_transposed);

struct LayerPairing {
  std::vector<LayerPair> pairs;  // In the order of the baseline's layers.
  std::vector<std::size_t> baseline_only;
  std::vector<std::size_t> variant_only;
};

// Each layer is in at most one pair, with one of as many channels and weights; a matrix from a file
// without nodes may be transposed for that. Names are believed
// first; what is left is paired by scope and then by content, which reads the weights. Takes time
// in proportion to names and weights, times a logarithm.
Result<LayerPairing> PairLayers(const ModelGraph& baseline,
                                std::span<const ModelLayer> baseline_layers,
                                const ModelGraph& variant,
                                std::span<const ModelLayer> variant_layers);

}  // namespace cboard::compare
