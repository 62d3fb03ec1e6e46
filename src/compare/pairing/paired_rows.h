// The weights of a pair of layers side by side, with folded factors applied.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "compare/layers/weight_rows.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

struct PairedRows {
  WeightRows x, y;  // Baseline and variant, with equal numbers of rows and elements.
};

// Fails as ReadRows does.
Result<PairedRows> ReadBoth(const PairedModels& models, std::size_t pair);

// A few of them, spread over channels and elements.
struct SampledRows {
  PairedRows rows;
  std::vector<std::size_t> channels, elements;  // Which these are.
  std::size_t all_channels = 0;

  // The baseline's weights, each times the factor of its input.
  WeightRows ScaledByInputs(const InputFactors& inputs) const;
};
Result<SampledRows> ReadSample(const PairedModels& models, std::size_t pair);

}  // namespace cboard::compare
