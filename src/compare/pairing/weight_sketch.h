// A layer's weights, a few of them, by which it is known among others that are of its size.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/layers/model_layers.h"
#include "compare/pairing/sim_hash.h"

namespace cboard::compare {

// At most 32 rows of at most 64 elements, the same ones of all layers of one size. Factors of
// channels do not change it.
class WeightSketch {
 public:
  // Fails as ReadRows does. Reads no more than the sketch needs.
  static Result<WeightSketch> Of(const model::ModelGraph& model, const ModelLayer& layer);

  // The mean cosine between this one's rows and those of `other`, which is of the same size.
  double MeanCosine(const WeightSketch& other) const;

  SimHash Signs() const { return SimHash(values_, rows_); }

 private:
  std::size_t rows_ = 0;
  std::size_t rows_in_use_ = 0;  // Those that are finite and not all zero.
  std::vector<float> values_;    // Rows of length one.
};

}  // namespace cboard::compare
