// Factors of output and input channels by which the weights of two models differ.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/layers/input_layout.h"
#include "compare/layers/weight_rows.h"

namespace cboard::compare {

// In the functions of this file, a factor of 0 means that the factor is unknown, because all
// weights of the channel are zero.

// Returns true if some factors differ from the median by more than rounding.
bool Vary(const std::vector<double>& factors);
// Returns true if most factors hardly differ from the median.
bool AreNearlyEqual(const std::vector<double>& factors);

// Returns the inverse of each factor, repeated `times` times: a dense layer behind a flattened
// image has several inputs per image channel.
std::vector<double> Inverse(const std::vector<double>& factors, std::size_t times);

// The following functions take the weights of two models, with the same number of rows and
// elements.

double SqnrOf(const WeightRows& x, const WeightRows& y);

// The factor of each row that brings x closest to y, and the SQNR that remains. Equalization never
// changes a sign, so negative factors become 0 (unknown).
struct FittedRows {
  std::vector<double> factors;
  double sqnr_db = 0;
};
FittedRows FitRows(const WeightRows& x, const WeightRows& y);

// Computes the factors of inputs again from the weights and the factors of the outputs, because the
// given factors may have been rounded. Keeps the given factors for layers with few outputs, whose
// weights mostly show their own rounding. Keeps a factor that all inputs have in common: it is a
// wrong scale, not equalization.
void RefineInputs(const WeightRows& x, const WeightRows& y, const std::vector<double>& outputs,
                  const InputLayout& layout, std::vector<double>& inputs);

}  // namespace cboard::compare
