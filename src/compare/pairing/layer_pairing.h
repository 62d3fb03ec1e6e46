// Pairs the layers of a compressed model with those of its baseline.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {

// The layout of weights from a file without nodes that fits their partner.
struct Reading {
  bool is_transposed = false;    // The other of the two dimensions is that of channels.
  std::size_t paired_heads = 0;  // See ModelLayer.
  friend auto operator<=>(const Reading&, const Reading&) = default;
};

struct LayerPair {
  std::size_t baseline = 0;  // Positions in the lists of layers.
  std::size_t variant = 0;
  PairedBy how = PairedBy::kName;
  Reading baseline_reading;
  Reading variant_reading;
};

// `layer` with the layout of its pair.
ModelLayer Read(ModelLayer layer, const Reading& reading);

struct LayerPairing {
  std::vector<LayerPair> pairs;  // In the order of the baseline's layers.
  std::vector<std::size_t> baseline_only;
  std::vector<std::size_t> variant_only;
};

// Each layer is in at most one pair, with one of as many channels and weights; a matrix from a file
// without nodes may be transposed for that. Names are believed first, in the same body of an If,
// Loop or Scan; what is left is paired by scope and then by content, which reads some of the
// weights. Takes time in proportion to the number of layers, times a logarithm.
Result<LayerPairing> PairLayers(const model::ModelGraph& baseline,
                                std::span<const ModelLayer> baseline_layers,
                                const model::ModelGraph& variant,
                                std::span<const ModelLayer> variant_layers);

}  // namespace cboard::compare
