// How far a compressed tensor is from its original, in one pass over both.
//
//   CBOARD_ASSIGN_OR_RETURN(const Comparison weights, Compare(fp32, int8, {.channel_axis = 0}));
//   weights.total.SqnrDb();                              // 38.2
//   weights.channels[*weights.worst_channel].SqnrDb();   // 4.1
//
// Activations of many samples stream through a builder, whose memory does not grow with them:
//
//   ComparisonBuilder builder({.channel_axis = 1, .grid = QuantizationGrid{0.02, 128, 0, 255}});
//   for (…) CBOARD_RETURN_IF_ERROR(builder.Add(fp32_output, int8_output));
//   const Comparison outputs = builder.Build();
//
// So do weights that are too large to be in memory at once, with AddChannels.
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

// Quantization steps: from the scales of codes, or from a QuantizationGrid for real values.
struct StepStatistics {
  std::uint64_t clipped_count = 0;  // References more than half a step beyond the last code.
  double sum_squared_steps = 0;     // Squared errors in units of the scale.
  // Different codes that occur. Only in the total, of 8-bit codes or with `divergence`.
  std::optional<int> used_codes;
};

// Pairs of a reference x and what compression made of it, y. A pair counts when both are finite.
// Each side's statistics describe the pairs that count; besides, they say how many of its own
// values were NaN or infinite.
//
// Sums are right to 1e-12 of the magnitudes they are made of. In long stretches of 8-bit codes that
// differ from their references by rounding alone, Σx² is right to 1e-10, or to 3e-8 where thousands
// of neighbours are all alike.
struct PairStatistics {
  std::uint64_t count = 0;  // All pairs.
  TensorStatistics reference;
  TensorStatistics compressed;
  double sum_squared_error = 0;
  double max_error = 0;  // The largest |x - y|.
  std::optional<StepStatistics> steps;

  std::uint64_t finite_count() const { return reference.finite_count(); }

  // Without pairs that count, all of these are NaN.

  // Signal to quantization noise, 10 log10(Σx² / Σ(x-y)²): infinite without error, 0 when all
  // signal is lost, minus infinity for noise where there was no signal.
  double SqnrDb() const;

  // Cosine of the angle between the two sides; 1 if both are zero, 0 if one is. Exact to about
  // 1e-15 times the quotient of their norms; to 1e-9 in the worst case and 1e-14 for real data
  // where sums are less exact.
  double Cosine() const;

  double Dot() const;  // Σxy.
  double Mse() const;
  double Rmse() const;

  // (mean y - mean x) / standard deviation of x; infinite for a shift of a constant.
  double MeanShiftSigmas() const;

  // The error in units of the scale: 0.289 = 1/√12 is ideal rounding. Nothing without `steps`.
  std::optional<double> RmseSteps() const;

  // The share of references that no code is near enough to. Nothing without `steps`.
  std::optional<double> ClipRate() const;
};

struct Comparison {
  PairStatistics total;
  std::vector<PairStatistics> channels;  // One per index of the channel axis, if there is one.

  // Channels whose Σx² is no more than this are nothing beside the largest one, as far as float32
  // can tell: 2^-48 of its Σx². Networks have them where training has given channels up.
  double negligible_sum_squares = 0;

  // The channel with the lowest SqnrDb(), among those that are not negligible.
  std::optional<std::size_t> worst_channel;

  // Kullback-Leibler divergence, in nats, of the references from the compressed values: both
  // counted in bins that are the quantizer's own steps, the outermost ones open. Finer or shifted
  // bins would show the comb of the codes, not a difference. Each bin counts half a value more
  // than its values, so that empty bins do not make it infinite.
  std::optional<double> divergence;
};

// The codes that real values have gone through, as between a QuantizeLinear and its
// DequantizeLinear: real = (code - zero_point) * scale.
struct QuantizationGrid {
  double scale = 1;
  std::int32_t zero_point = 0;
  std::int32_t code_min = -128;
  std::int32_t code_max = 127;
};

struct ComparisonOptions {
  // The dimension that channels run along; none for a total only.
  std::optional<std::size_t> channel_axis;

  // For compressed tensors of real values; those of codes bring their own scales.
  std::optional<QuantizationGrid> grid;

  // The first and the last code in use where the type could hold more: {-8, 7} for 4-bit codes
  // stored as int8. For compressed tensors of codes.
  struct CodeRange {
    std::int32_t min = 0;
    std::int32_t max = 0;
  };
  std::optional<CodeRange> code_range;

  // Count bins for `Comparison::divergence`, which takes several times as long as all the rest.
  // Needs 8-bit codes, or a grid of at most 65,536 codes.
  bool divergence = false;
};

// Gathers a comparison from any number of pairs of tensors. Not thread-safe: give each thread one
// of its own, and Merge them.
class ComparisonBuilder {
 public:
  explicit ComparisonBuilder(ComparisonOptions options = {});
  ~ComparisonBuilder();
  ComparisonBuilder(ComparisonBuilder&&) noexcept;
  ComparisonBuilder& operator=(ComparisonBuilder&&) noexcept;

  // Both tensors have one shape; from one call to the next, only the length of the channel axis
  // must stay. Either may be of any dtype, and quantized: its real values are compared.
  //
  // Fails with kInvalidArgument when a tensor is not valid, shapes differ, the channel axis is not
  // there or has another length than before, or the options cannot be met. Nothing was added then.
  Result<void> Add(const TensorView& reference, const TensorView& compressed);

  // Adds some channels of tensors that have `channel_count` of them along the channel axis: those
  // from `first` on, as many as the tensors given here have. Fails as Add does, and when there are
  // more of them than that.
  Result<void> AddChannels(const TensorView& reference, const TensorView& compressed,
                           std::size_t first, std::size_t channel_count);

  // Adds all that `other` has gathered. Fails as Add does for another number of channels.
  Result<void> Merge(const ComparisonBuilder& other);

  // The comparison of all values added so far.
  Comparison Build() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A builder fed once.
Result<Comparison> Compare(const TensorView& reference, const TensorView& compressed,
                           const ComparisonOptions& options = {});

}  // namespace cboard::tensor
