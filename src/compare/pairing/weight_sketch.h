// A sample of a layer's weights, to recognize the layer among others of its size.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/layers/model_layers.h"
#include "compare/pairing/sim_hash.h"

namespace cboard::compare {

// At most 32 rows of at most 64 elements, at the same positions for all layers of one size. Factors
// of channels do not change the sketch.
class WeightSketch {
 public:
  // Fails as ReadRows does. Reads no more than the sketch needs.
  static Result<WeightSketch> Of(const model::ModelGraph& model, const ModelLayer& layer);

  // Mean cosine between the rows of this sketch and of `other`, which has the same size.
  double MeanCosine(const WeightSketch& other) const;

  SimHash Signs() const { return SimHash(values_, rows_); }

 private:
  std::size_t rows_ = 0;
  std::size_t rows_in_use_ = 0;  // Those that are finite and not all zero.
  std::vector<float> values_;    // Rows of length one.
};

}  // namespace cboard::compare
