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
  // One scale for all channels, and what it is.
  std::optional<double> step;
  // Typical magnitudes by channel; root mean squares are taken when there are none.
  std::vector<float> channel_medians = {};
  PermutedCount permuted = {};
  PrunedWeights pruned = {};
  // With the baseline's weights cut off where the compressed ones end, and what goes into the
  // quantizer of an output where its codes do.
  std::optional<ClippingResidual> clipping_residual = {};
  // Σx² in the baseline. A layer before may have left less for a quantizer that is made for this
  // much, and then its steps are too large through no fault of its own.
  double baseline_energy = 0;
  // How much errors in each channel of an output matter next; see ChannelImportance. May be empty.
  std::vector<double> channel_importance = {};
};

// Whether the mean of values moved by more than rounding can move it: values that hardly vary are
// all rounded to one side, by up to half a step.
bool IsShifted(const Evidence& evidence, const tensor::PairStatistics& pairs);

// SQNR in dB with channels counted as much as they matter; nothing without `importance`.
std::optional<double> WeightedSqnrDb(const tensor::Comparison& comparison,
                                     const std::vector<double>& importance);

// Green without a cause, or the level and the cause that explains most of the error: each is undone
// in sums over the tensor, and what is left is measured. A cause that leaves more than half of the
// error is not believed. Pruning is amber at most: it is meant, and no scale or range would mend
// it.
Diagnosis Diagnose(const Evidence& evidence, const Thresholds& thresholds);

// Red where values became NaN or infinite that were finite in the baseline; otherwise nothing.
std::optional<Diagnosis> DiagnoseNotFinite(Part part, const tensor::PairStatistics& total);

// By level, then by severity.
bool IsWorse(const Diagnosis& a, const Diagnosis& b);

// Diagnoses offsets in the bias, in standard deviations of the output: over all channels, and the
// largest.
Diagnosis DiagnoseBias(double shift, double worst_shift, std::size_t worst_channel,
                       const Thresholds& thresholds);

}  // namespace cboard::compare
