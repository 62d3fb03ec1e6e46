// Diagnoses a tensor: computes the level of its error and finds the cause, from statistics.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/diagnosis/pruned_weights.h"
#include "compare/diagnosis/residuals.h"

namespace cboard::compare {

// Channels of the variant that equal another channel of the baseline, and their error after
// reordering.
struct PermutedCount {
  std::size_t channels = 0;
  double sum_squared_error = 0;
};

// Statistics of a quantized tensor in the baseline and in the variant.
struct Evidence {
  Part part = Part::kWeight;
  const tensor::Comparison* comparison = nullptr;
  int bits = 8;
  // The quantization step if all channels share one scale.
  std::optional<double> step;
  // Typical magnitude of each channel; if empty, root mean squares are used.
  std::vector<float> channel_medians = {};
  PermutedCount permuted = {};
  PrunedWeights pruned = {};
  // The residual if clipping is the only error. For weights, the baseline's weights are clipped to
  // the range of the compressed weights. For an output, the input of its quantizer is clipped to
  // the quantization range.
  std::optional<ClippingResidual> clipping_residual = {};
  // Sum of squares in the baseline. If an earlier layer has made the signal smaller, the steps of
  // this quantizer are too large, but this layer is not the cause.
  double baseline_energy = 0;
  // Weight of each output channel in the next layers; see ChannelImportance. May be empty.
  std::vector<double> channel_importance = {};
};

// Returns true if the mean of the error is larger than rounding can explain. For values that hardly
// vary, rounding can explain half a step, because all values are rounded in the same direction.
bool IsShifted(const Evidence& evidence, const tensor::PairStatistics& pairs);

// SQNR in dB with channels weighted by `importance`; nullopt if `importance` is empty.
std::optional<double> WeightedSqnrDb(const tensor::Comparison& comparison,
                                     const std::vector<double>& importance);

// Returns green without a cause, or the level and the cause that explains most of the error. Each
// cause is undone arithmetically in sums over the tensor; a cause is rejected if more than half of
// the error remains. Pruning is amber at most: it is intended, and no scale or range would repair
// it.
Diagnosis Diagnose(const Evidence& evidence, const Thresholds& thresholds);

// Returns red if values became NaN or infinite that were finite in the baseline; otherwise nullopt.
std::optional<Diagnosis> DiagnoseNotFinite(Part part, const tensor::PairStatistics& total);

// Orders diagnoses by level, then by severity.
bool IsWorse(const Diagnosis& a, const Diagnosis& b);

// Diagnoses changes of the bias, in units of the output's standard deviation. `shift` is the change
// over all channels, `worst_shift` is the change of the worst channel.
Diagnosis DiagnoseBias(double shift, double worst_shift, std::size_t worst_channel,
                       const Thresholds& thresholds);

}  // namespace cboard::compare
