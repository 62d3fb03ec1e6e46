// Compares a compressed tensor with its baseline, in one pass over both.
//
//   CBOARD_ASSIGN_OR_RETURN(const Comparison weights, Compare(fp32, int8, {.channel_axis = 0}));
//   weights.total.SqnrDb();                              // 38.2
//   weights.channels[*weights.worst_channel].SqnrDb();   // 4.1
//
// Activations of many samples are added to a builder. Its memory does not depend on their number:
//
//   ComparisonBuilder builder({.channel_axis = 1, .grid = QuantizationGrid{0.02, 128, 0, 255}});
//   for (…) CBOARD_RETURN_IF_ERROR(builder.Add(fp32_output, int8_output));
//   const Comparison outputs = builder.Build();
//
// Weights that are too large for memory are added in parts, with AddChannels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/statistics.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// Statistics in units of quantization steps. The steps come from the scales of quantized tensors,
// or from a QuantizationGrid for real values.
struct StepStatistics {
  // Number of baseline values that are more than half a step outside the range of codes.
  std::uint64_t clipped_count = 0;
  double sum_squared_steps = 0;  // Squared errors in units of the scale.
  // Number of distinct codes that occur. It is set only in the total, and only for 8-bit codes or
  // if `divergence` is requested.
  std::optional<int> used_codes;
};

// Statistics of pairs: a baseline value x and its compressed value y. A pair is used only if both
// values are finite. `reference` and `compressed` also count the NaN and infinite values of their
// side.
//
// Sums are accurate to 1e-12 of the magnitudes of their terms. For long runs of 8-bit codes that
// differ from their baseline values only by rounding, Σx² is accurate to 1e-10, or to 3e-8 if
// thousands of neighbouring values are equal.
struct PairStatistics {
  std::uint64_t count = 0;  // All pairs.
  TensorStatistics reference;
  TensorStatistics compressed;
  double sum_squared_error = 0;
  double max_error = 0;  // The largest |x - y|.
  std::optional<StepStatistics> steps;

  std::uint64_t finite_count() const { return reference.finite_count(); }

  // The following statistics are NaN if there are no finite pairs.

  // Signal-to-quantization-noise ratio in dB: 10 log10(Σx² / Σ(x-y)²). It is infinite without
  // error, 0 if the error is as large as the signal, and minus infinity if all x are zero and a y
  // is not.
  double SqnrDb() const;

  // Cosine of the angle between the baseline and the compressed values: 1 if both sides are zero, 0
  // if one side is zero. Its error is about 1e-15 times the ratio of their norms. For long runs of
  // 8-bit codes, Σx² is less accurate, and the error of the cosine is at most 1e-9; for real data
  // it is 1e-14.
  double Cosine() const;

  double Dot() const;  // Σxy.
  double Mse() const;
  double Rmse() const;

  // Shift of the mean in standard deviations of x: (mean y - mean x) / standard deviation of x. It
  // is infinite if x is constant and the means differ.
  double MeanShiftSigmas() const;

  // Root mean square error in units of the scale. Ideal rounding gives 0.289 = 1/√12. nullopt if
  // `steps` is not set.
  std::optional<double> RmseSteps() const;

  // Returns the share of baseline values outside the range of codes; nullopt if `steps` is not set.
  std::optional<double> ClipRate() const;
};

struct Comparison {
  PairStatistics total;
  // Statistics of each channel: one entry per index of the channel axis. Empty if there is no
  // channel axis.
  std::vector<PairStatistics> channels;

  // A channel is negligible if its Σx² is at most this value, which is 2^-48 of the largest
  // channel's Σx²: the resolution of float32. Trained networks contain such unused channels.
  double negligible_sum_squares = 0;

  // The channel with the lowest SQNR. Negligible channels are not considered.
  std::optional<std::size_t> worst_channel;

  // Kullback-Leibler divergence of the baseline values from the compressed values, in nats. Both
  // are counted in bins that equal the quantization steps; the first and the last bin have no outer
  // limit. Finer or shifted bins would measure the gaps between codes. Each bin's count is
  // increased by 0.5, so that empty bins do not make the divergence infinite.
  std::optional<double> divergence;
};

// The codes that real values were quantized to: real = (code - zero_point) * scale. Values between
// a QuantizeLinear and its DequantizeLinear are an example.
struct QuantizationGrid {
  double scale = 1;
  std::int32_t zero_point = 0;
  std::int32_t code_min = -128;
  std::int32_t code_max = 127;
};

struct ComparisonOptions {
  // The dimension of the channels. If it is nullopt, only a total is computed.
  std::optional<std::size_t> channel_axis;

  // The quantization grid of compressed tensors that contain real values. Quantized tensors have
  // their own scales and do not use it.
  std::optional<QuantizationGrid> grid;

  // For quantized tensors: the range of codes that the quantizer uses, if it is smaller than the
  // range of the type. For example {-8, 7} for 4-bit codes stored as int8.
  struct CodeRange {
    std::int32_t min = 0;
    std::int32_t max = 0;
  };
  std::optional<CodeRange> code_range;

  // Computes `Comparison::divergence`. This takes several times as long as all other statistics. It
  // needs 8-bit codes, or a grid of at most 65,536 codes.
  bool divergence = false;
};

// Accumulates a comparison over any number of pairs of tensors. Not thread-safe: use one builder
// per thread, and Merge them.
class ComparisonBuilder {
 public:
  explicit ComparisonBuilder(ComparisonOptions options = {});
  ~ComparisonBuilder();
  ComparisonBuilder(ComparisonBuilder&&) noexcept;
  ComparisonBuilder& operator=(ComparisonBuilder&&) noexcept;

  // Adds a pair of tensors of equal shape. The shape may change between calls, except the length of
  // the channel axis. Tensors of any dtype are allowed; quantized tensors are compared by their
  // real values.
  //
  // Fails with kInvalidArgument, and adds nothing, if a tensor is not valid, if the shapes differ,
  // if the channel axis does not exist or its length has changed, or if the options do not suit the
  // tensors.
  Result<void> Add(const TensorView& reference, const TensorView& compressed);

  // Adds a range of the channels of a pair of tensors that have `channel_count` channels in total.
  // `reference` and `compressed` contain the channels from `first` on. Fails like Add, and if the
  // range exceeds `channel_count`.
  Result<void> AddChannels(const TensorView& reference, const TensorView& compressed,
                           std::size_t first, std::size_t channel_count);

  // Adds all values that were added to `other`. Fails like Add if the numbers of channels differ.
  Result<void> Merge(const ComparisonBuilder& other);

  // Returns the comparison of all values that were added so far.
  Comparison Build() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Compares a single pair of tensors.
Result<Comparison> Compare(const TensorView& reference, const TensorView& compressed,
                           const ComparisonOptions& options = {});

}  // namespace cboard::tensor
