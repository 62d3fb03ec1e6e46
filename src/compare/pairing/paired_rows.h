// Reads the weights of both layers of a pair, with folded factors applied.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "compare/layers/weight_rows.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

struct PairedRows {
  WeightRows x, y;  // Weights of the baseline and of the variant, in equal order.
};

// Reads all weights of a pair. Fails if ReadRows fails.
Result<PairedRows> ReadBoth(const PairedModels& models, std::size_t pair);

// A sample of the weights of a pair, from different channels and elements.
struct SampledRows {
  PairedRows rows;
  std::vector<std::size_t> channels, elements;  // Positions of the sample.
  std::size_t all_channels = 0;

  // Returns the baseline's weights, each multiplied by the factor of its input channel.
  WeightRows ScaledByInputs(const InputFactors& inputs) const;
};
Result<SampledRows> ReadSample(const PairedModels& models, std::size_t pair);

}  // namespace cboard::compare
