// Compares a compressed tensor with its baseline, in one pass over both.
//
//   CBOARD_ASSIGN_OR_RETURN(const Comparison weights, Compare(fp32, int8, {.channel_axis = 0}));
//   weights.total.SqnrDb();                              // 38.2
//   weights.channels[*weights.worst_channel].SqnrDb();   // 4.1
//
// Activations of many samples are added to a builder, whose memory does not grow with them:
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

// Statistics in quantization steps, which come from the scales of codes, or from a QuantizationGrid
// for real values.
struct StepStatistics {
  // Number of baseline values more than half a step outside the range of codes.
  std::uint64_t clipped_count = 0;
  double sum_squared_steps = 0;  // Squared errors in units of the scale.
  // Number of distinct codes in use. It is set only in the total, for 8-bit codes or with
  // `divergence`.
  std::optional<int> used_codes;
};

// Statistics of pairs of a baseline value x and its compressed value y. Only pairs in which both
// are finite are used. The statistics of each side also contain its number of NaN and infinite
// values.
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

  // Signal-to-quantization-noise ratio, 10 log10(Σx² / Σ(x-y)²): infinite without error, 0 if the
  // error is as large as the signal, minus infinity if the baseline is all zero and y is not.
  double SqnrDb() const;

  // Cosine of the angle between both sides; 1 if both are zero, 0 if one is. The error is about
  // 1e-15 times the ratio of their norms; in the cases with less accurate sums it is at most 1e-9,
  // and 1e-14 for real data.
  double Cosine() const;

  double Dot() const;  // Σxy.
  double Mse() const;
  double Rmse() const;

  // Shift of the mean: (mean y - mean x) / standard deviation of x; infinite if x is constant and
  // shifted.
  double MeanShiftSigmas() const;

  // Root mean square error in units of the scale: 0.289 = 1/√12 is ideal rounding. nullopt if
  // `steps` is not set.
  std::optional<double> RmseSteps() const;

  // Returns the share of baseline values outside the range of codes; nullopt if `steps` is not set.
  std::optional<double> ClipRate() const;
};

struct Comparison {
  PairStatistics total;
  // Statistics by channel: one entry per index of the channel axis; empty if there is no channel
  // axis.
  std::vector<PairStatistics> channels;

  // Channels whose Σx² is at most this are negligible: 2^-48 of the largest channel's Σx², the
  // resolution of float32. Trained networks contain such unused channels.
  double negligible_sum_squares = 0;

  // The channel with the lowest SqnrDb(), except negligible channels.
  std::optional<std::size_t> worst_channel;

  // Kullback-Leibler divergence of the baseline values from the compressed values, in nats. Both
  // are counted in bins that equal the quantization steps, with open outermost bins; finer or
  // shifted bins would measure the gaps between codes. Half a value is added to each bin, so that
  // empty bins do not make it infinite.
  std::optional<double> divergence;
};

// The codes that real values were quantized to, for example between a QuantizeLinear and its
// DequantizeLinear: real = (code - zero_point) * scale.
struct QuantizationGrid {
  double scale = 1;
  std::int32_t zero_point = 0;
  std::int32_t code_min = -128;
  std::int32_t code_max = 127;
};

struct ComparisonOptions {
  // The dimension of the channels; nullopt to compute only a total.
  std::optional<std::size_t> channel_axis;

  // The quantization grid of compressed tensors that contain real values; quantized tensors have
  // their own scales.
  std::optional<QuantizationGrid> grid;

  // The first and last used code, if the type could hold more: {-8, 7} for 4-bit codes stored as
  // int8. For compressed tensors of codes.
  struct CodeRange {
    std::int32_t min = 0;
    std::int32_t max = 0;
  };
  std::optional<CodeRange> code_range;

  // Computes `Comparison::divergence`, which takes several times as long as everything else. Needs
  // 8-bit codes, or a grid of at most 65,536 codes.
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

  // Adds a pair of tensors of equal shape. Between calls only the length of the channel axis must
  // stay the same. Tensors of any dtype are allowed; quantized tensors are compared by their real
  // values.
  //
  // Fails with kInvalidArgument if a tensor is not valid, if the shapes differ, if the channel axis
  // does not exist or has another length than before, or if the options do not fit. Nothing is
  // added then.
  Result<void> Add(const TensorView& reference, const TensorView& compressed);

  // Adds a range of channels of tensors with `channel_count` channels: the given tensors
  // contain the channels from `first` on. Fails like Add, and if the range exceeds
  // `channel_count`.
  Result<void> AddChannels(const TensorView& reference, const TensorView& compressed,
                           std::size_t first, std::size_t channel_count);

  // Adds everything that `other` has accumulated. Fails like Add if the number of channels differs.
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
