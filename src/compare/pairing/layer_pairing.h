// Pairs the layers of a compressed model with the layers of its baseline.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// The layout in which the weights of a file without nodes must be read, so that they fit the
// weights of the other model.
struct Reading {
  bool is_transposed = false;    // The channels are in the other of the two dimensions.
  std::size_t paired_heads = 0;  // See ModelLayer.
  friend auto operator<=>(const Reading&, const Reading&) = default;
};

struct LayerPair {
  std::size_t baseline = 0;  // Positions in the two lists of layers.
  std::size_t variant = 0;
  PairedBy how = PairedBy::kName;
  Reading baseline_reading;
  Reading variant_reading;
};

// Returns `layer` with its weights in the layout of the layer that it is paired with.
ModelLayer Read(ModelLayer layer, const Reading& reading);

struct LayerPairing {
  std::vector<LayerPair> pairs;  // Sorted by position in the baseline.
  std::vector<std::size_t> baseline_only;
  std::vector<std::size_t> variant_only;
};

// Pairs the layers of two models. Each layer is in at most one pair, and both layers of a pair have
// the same number of channels and weights; a matrix from a file without nodes may be transposed for
// this. Layers with equal names in the same body (subgraph) of If, Loop and Scan are paired first,
// the remaining ones by scope and then by content, which reads a sample of the weights. Takes O(n
// log n) time for n layers.
Result<LayerPairing> PairLayers(const model::ModelGraph& baseline,
                                std::span<const ModelLayer> baseline_layers,
                                const model::ModelGraph& variant,
                                std::span<const ModelLayer> variant_layers);

}  // namespace cboard::compare
