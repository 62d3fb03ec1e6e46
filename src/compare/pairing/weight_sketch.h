// A small sample of a layer's weights (a sketch), to recognize the layer among others of the same
// size.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/layers/model_layers.h"
#include "compare/pairing/sim_hash.h"

namespace cboard::compare {

// A sample of a layer's weights, by which the same layer is recognized in another model: at most 32
// rows with at most 64 elements each, at the same positions for all layers of the same size. Rows
// are scaled to an L2 norm of 1, so factors of channels do not matter.
class WeightSketch {
 public:
  // Reads the sample of a layer, and no other weights. Fails if ReadRows fails.
  static Result<WeightSketch> Of(const model::ModelGraph& model, const ModelLayer& layer);

  // Returns the mean cosine between the rows of this sample and of `other`, which must have the
  // same size.
  double MeanCosine(const WeightSketch& other) const;

  SimHash Signs() const { return SimHash(values_, rows_); }

 private:
  std::size_t rows_ = 0;
  std::size_t rows_in_use_ = 0;  // Number of finite rows that are not all zero.
  std::vector<float> values_;    // Rows, scaled to length one.
};

}  // namespace cboard::compare
