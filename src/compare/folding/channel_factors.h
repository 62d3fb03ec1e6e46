// Factors of the output and input channels of weights, as an explanation for different weights.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/layers/input_layout.h"
#include "compare/layers/weight_rows.h"

namespace cboard::compare {

// A factor of 0 is unknown: all weights of the channel are zero.

// Returns true if some factors differ from the usual one by more than rounding.
bool Vary(const std::vector<double>& factors);
// Returns true if most factors hardly differ from the usual one.
bool AreNearlyEqual(const std::vector<double>& factors);

// Inverse factors, each repeated for `times` inputs: the number of elements per image channel for a
// dense layer.
std::vector<double> Inverse(const std::vector<double>& factors, std::size_t times);

// The functions below take weights with the same number of rows and elements.

double SqnrOf(const WeightRows& x, const WeightRows& y);

// The factors of rows that bring x closest to y, and the residual. Equalization does not change
// signs: negative factors are unknown.
struct FittedRows {
  std::vector<double> factors;
  double sqnr_db = 0;
};
FittedRows FitRows(const WeightRows& x, const WeightRows& y);

// Refines the factors of inputs from the weights and the factors of the outputs, because the
// factors may have been rounded. Weights of few outputs mostly show their own rounding. A common
// factor of all inputs is a wrong scale, and is kept.
void RefineInputs(const WeightRows& x, const WeightRows& y, const std::vector<double>& outputs,
                  const InputLayout& layout, std::vector<double>& inputs);

}  // namespace cboard::compare
