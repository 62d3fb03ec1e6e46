// Factors of the outputs and inputs of weights: how far they explain that weights differ.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/layers/input_layout.h"
#include "compare/layers/weight_rows.h"

namespace cboard::compare {

// A factor of 0 is one that is not known, since all its weights are zero.

// Whether some factors differ from the usual one by more than rounding makes them …
bool Vary(const std::vector<double>& factors);
// … and whether most hardly do.
bool AreNearlyEqual(const std::vector<double>& factors);

// Inverse factors, each repeated for `times` inputs: the number of elements per image channel for a
// dense layer.
std::vector<double> Inverse(const std::vector<double>& factors, std::size_t times);

// All that follow are of weights that have as many rows and elements.

double SqnrOf(const WeightRows& x, const WeightRows& y);

// The factors of rows that bring x nearest to y, and what is left of y then. Equalization turns no
// signs: where a factor would, it is not known.
struct FittedRows {
  std::vector<double> factors;
  double sqnr_db = 0;
};
FittedRows FitRows(const WeightRows& x, const WeightRows& y);

// Refines the factors of inputs from the weights and the factors of the outputs, because the
// factors may have been rounded. Weights of few outputs say little besides their own rounding. A
// larger factor of all inputs is a wrong scale, and is kept.
void RefineInputs(const WeightRows& x, const WeightRows& y, const std::vector<double>& outputs,
                  const InputLayout& layout, std::vector<double>& inputs);

}  // namespace cboard::compare
