#include "cboard/tensor/quantizer_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cboard/tensor/convert.h"
#include "tensor/element_reader.h"
#include "tensor/quantizer/quantizer_ranges.h"

namespace cboard::tensor {
namespace {

struct Codes {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  std::int32_t min = 0;
  std::int32_t max = 0;
};

Codes CodesFor(const std::vector<FiniteRange>& ranges, const Quantizer& quantizer) {
  Codes codes;
  const std::int32_t all = (1 << quantizer.bits) - 1;
  codes.max = quantizer.symmetric ? all / 2 : all;
  codes.min = quantizer.symmetric ? -codes.max : 0;
  for (const FiniteRange& range : ranges) {
    const float extent =
        quantizer.symmetric ? std::max(-range.low, range.high) : range.high - range.low;
    // A scale must be a valid divisor, even if all its values are zero or very small.
    float scale = extent / static_cast<float>(codes.max);
    if (!(scale >= std::numeric_limits<float>::min()) || !std::isfinite(scale)) scale = 1;
    codes.scales.push_back(scale);
    if (!quantizer.symmetric) {
      codes.zero_points.push_back(std::clamp(
          static_cast<std::int32_t>(std::lrint(-range.low / scale)), codes.min, codes.max));
    }
  }
  return codes;
}

// Accumulates the result of one quantizer.
class Trial {
 public:
  Trial(const Quantizer& quantizer, const std::vector<FiniteRange>& ranges,
        std::optional<std::size_t> channel_axis)
      : quantizer_(quantizer),
        codes_(CodesFor(ranges, quantizer)),
        builder_({.channel_axis = channel_axis,
                  .code_range = ComparisonOptions::CodeRange{codes_.min, codes_.max}}),
        are_rows_channels_(channel_axis == std::size_t{0}) {}

  // Adds a part of the weights: the rows from `first` on. `row_count` is the number of rows of the
  // whole tensor. A row is an index of the first dimension; its weights are float32.
  Result<void> Add(const TensorView& rows, std::size_t first, std::size_t row_count) {
    if (quantizer_.bits <= 8) {
      return quantizer_.symmetric ? AddAs<std::int8_t>(rows, first, row_count)
                                  : AddAs<std::uint8_t>(rows, first, row_count);
    }
    return quantizer_.symmetric ? AddAs<std::int16_t>(rows, first, row_count)
                                : AddAs<std::uint16_t>(rows, first, row_count);
  }

  // Returns the result over all `count` weights. Releases the sums: if there are many short
  // channels, the sums take more memory than the weights.
  QuantizerTrial Take(std::size_t count) {
    const auto bits = static_cast<std::uint64_t>(quantizer_.bits);
    const ComparisonBuilder gathered = std::exchange(builder_, ComparisonBuilder());
    return {gathered.Build(), (count * bits + 7) / 8 + codes_.scales.size() * sizeof(float) +
                                  (codes_.zero_points.size() * bits + 7) / 8};
  }

 private:
  template <typename Code>
  Result<void> AddAs(const TensorView& rows, std::size_t first, std::size_t row_count) {
    CBOARD_ASSIGN_OR_RETURN(const QuantizerRuns runs, RunsOf(rows, quantizer_));
    // If each row of the weights has its own scales, selects the scales of the rows that are added.
    const bool have_own = codes_.scales.size() > runs.scales;
    const std::size_t skipped =
        have_own ? first * (codes_.scales.size() / row_count) : std::size_t{0};
    const auto scales = std::span<const float>(codes_.scales).subspan(skipped, runs.scales);
    std::span<const std::int32_t> zeros = codes_.zero_points;
    if (!zeros.empty()) zeros = zeros.subspan(skipped, runs.scales);
    const auto values = ElementsOf<float>(rows, 0, runs.count);
    std::vector<Code> quantized(runs.count);
    runs.ForEach([&](std::size_t scale, std::size_t begin, std::size_t count) {
      const CodeRule rule{.step = scales[scale],
                          .zero = zeros.empty() ? 0.0f : static_cast<float>(zeros[scale]),
                          .min = static_cast<float>(codes_.min),
                          .max = static_cast<float>(codes_.max)};
      Quantize(values.subspan(begin, count), rule, quantized.data() + begin);
    });
    TensorView compressed(quantized, rows.shape);
    compressed.quantization =
        Quantization{quantizer_.granularity, scales, zeros, quantizer_.axis, quantizer_.group_size};
    return are_rows_channels_ ? builder_.AddChannels(rows, compressed, first, row_count)
                              : builder_.Add(rows, compressed);
  }

  Quantizer quantizer_;
  Codes codes_;
  ComparisonBuilder builder_;
  bool are_rows_channels_;
};

Result<void> Check(const Quantizer& quantizer) {
  if (quantizer.bits < 2 || quantizer.bits > 16) {
    return Fail(ErrorCode::kInvalidArgument, "a quantizer of " + std::to_string(quantizer.bits) +
                                                 " bits is not supported; use 2 to 16 bits");
  }
  if (!(quantizer.percentile > 0 && quantizer.percentile <= 100)) {
    return Fail(ErrorCode::kInvalidArgument,
                "a percentile of " + std::to_string(quantizer.percentile) +
                    " is not valid; it must be above 0 and at most 100");
  }
  return {};
}

// Creates an empty trial for each quantizer.
Result<std::vector<Trial>> TrialsOf(const TensorView& weights,
                                    std::span<const Quantizer> quantizers,
                                    std::optional<std::size_t> channel_axis) {
  const auto values = ElementsOf<float>(weights, 0, weights.element_count());
  std::vector<std::vector<FiniteRange>> extremes;  // By quantizer.
  std::vector<Trial> trials;
  for (const Quantizer& quantizer : quantizers) {
    CBOARD_ASSIGN_OR_RETURN(const QuantizerRuns runs, RunsOf(weights, quantizer));
    const auto like = std::ranges::find_if(
        quantizers, [&](const Quantizer& other) { return HaveSameRuns(quantizer, other); });
    const auto position = static_cast<std::size_t>(like - quantizers.begin());
    extremes.push_back(position < extremes.size() ? extremes[position] : ExtremesOf(values, runs));
    trials.emplace_back(quantizer, RangesOf(values, runs, quantizer, extremes.back()),
                        channel_axis);
  }
  return trials;
}

}  // namespace

Result<std::vector<QuantizerTrial>> TryQuantizers(const TensorView& given,
                                                  std::span<const Quantizer> quantizers,
                                                  std::optional<std::size_t> channel_axis) {
  for (const Quantizer& quantizer : quantizers) CBOARD_RETURN_IF_ERROR(Check(quantizer));
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
  const TensorView& weights = plain.view();
  if (weights.element_count() == 0) {
    return Fail(ErrorCode::kInvalidArgument, "an empty tensor cannot be quantized");
  }
  std::vector<float> copied;
  TensorView real = weights;
  if (weights.dtype != DType::kFloat32 ||
      reinterpret_cast<std::uintptr_t>(weights.data) % alignof(float) != 0) {
    CBOARD_ASSIGN_OR_RETURN(copied, ToFloats(weights));
    real = TensorView(copied, weights.shape);
  }
  CBOARD_ASSIGN_OR_RETURN(std::vector<Trial> trials, TrialsOf(real, quantizers, channel_axis));
  // Processes a few rows at a time, so that the rows stay in the cache for all trials. A tensor
  // with one dimension is not divided, because a group of elements that share a scale could be
  // split.
  constexpr std::size_t kElements = std::size_t{1} << 16;
  const std::size_t count = real.element_count();
  const std::size_t length = real.shape.empty() ? 1 : static_cast<std::size_t>(real.shape[0]);
  const std::size_t rows = real.shape.size() < 2 ? 1 : length;
  const std::size_t row = count / rows, most = std::max<std::size_t>(1, kElements / row);
  for (std::size_t first = 0; first < rows; first += most) {
    TensorView part = real;
    part.data = ElementsOf<float>(real, first * row, 0).data();
    if (rows > 1) part.shape[0] = static_cast<std::int64_t>(std::min(most, rows - first));
    for (Trial& trial : trials) CBOARD_RETURN_IF_ERROR(trial.Add(part, first, length));
  }
  std::vector<QuantizerTrial> tried;
  for (Trial& trial : trials) tried.push_back(trial.Take(count));
  return tried;
}

Result<QuantizerTrial> TryQuantizer(const TensorView& weights, const Quantizer& quantizer,
                                    std::optional<std::size_t> channel_axis) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<QuantizerTrial> tried,
                          TryQuantizers(weights, {&quantizer, 1}, channel_axis));
  return std::move(tried.front());
}

}  // namespace cboard::tensor
