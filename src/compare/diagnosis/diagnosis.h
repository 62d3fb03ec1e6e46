// From statistics to a diagnosis: the level of a tensor's error, and its cause.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/diagnosis/pruned_weights.h"
#include "compare/diagnosis/residuals.h"

namespace cboard::compare {

// Channels whose values were found in another channel, and their error.
struct PermutedCount {
  std::size_t channels = 0;
  double sum_squared_error = 0;
};

// Statistics of a quantized tensor.
struct Evidence {
  Part part = Part::kWeight;
  const tensor::Comparison* comparison = nullptr;
  int bits = 8;
  // The scale, if all channels share one.
  std::optional<double> step;
  // Typical magnitudes by channel; if empty, root mean squares are used.
  std::vector<float> channel_medians = {};
  PermutedCount permuted = {};
  PrunedWeights pruned = {};
  // Residual with the baseline's values clipped: weights to the range of the compressed weights,
  // the input of an output's quantizer to the range of its codes.
  std::optional<ClippingResidual> clipping_residual = {};
  // Σx² in the baseline. If an earlier layer has made the signal smaller than its quantizer was
  // calibrated for, the steps are too large, but not because of this quantizer.
  double baseline_energy = 0;
  // How much errors in each channel of an output matter next; see ChannelImportance. May be empty.
  std::vector<double> channel_importance = {};
};

// Returns true if the mean moved by more than rounding can move it: values that hardly vary are all
// rounded to one side, by up to half a step.
bool IsShifted(const Evidence& evidence, const tensor::PairStatistics& pairs);

// SQNR in dB, weighted by `importance`; nullopt without it.
std::optional<double> WeightedSqnrDb(const tensor::Comparison& comparison,
                                     const std::vector<double>& importance);

// Returns green without a cause, or the level and the cause that explains most of the error: each
// cause is undone in sums over the tensor, and the residual is measured. A cause that leaves more
// than half of the error is rejected. Pruning is amber at most: it is intended, and no scale or
// range would repair it.
Diagnosis Diagnose(const Evidence& evidence, const Thresholds& thresholds);

// Returns red if values became NaN or infinite that were finite in the baseline; otherwise nullopt.
std::optional<Diagnosis> DiagnoseNotFinite(Part part, const tensor::PairStatistics& total);

// By level, then by severity.
bool IsWorse(const Diagnosis& a, const Diagnosis& b);

// Diagnoses offsets in the bias, in standard deviations of the output: over all channels, and the
// largest.
Diagnosis DiagnoseBias(double shift, double worst_shift, std::size_t worst_channel,
                       const Thresholds& thresholds);

}  // namespace cboard::compare
