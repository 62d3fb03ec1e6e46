#include "cboard/tensor/compare.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cboard/base/strings.h"
#include "cboard/tensor/convert.h"
#include "tensor/compare/compare_walk.h"

namespace cboard::tensor {
namespace {

Result<void> CheckRange(std::string_view what, std::int32_t min, std::int32_t max) {
  if (min <= max) return {};
  return Fail(ErrorCode::kInvalidArgument,
              std::string(what) + " goes from " + std::to_string(min) + " to " +
                  std::to_string(max) + ", but the last code must not be below the first code");
}

// Creates one bin per code, to compute the divergence. Fails if the tensor has neither 8-bit codes
// nor a grid, or if the grid has too many codes.
Result<StepBins> BinsFor(const TensorView& compressed, const ComparisonOptions& options) {
  if (compressed.quantization && HoldsBytes(compressed)) {
    const auto [min, max] = CodesOf(compressed, options);
    return StepBins(min, max);
  }
  if (compressed.quantization || !options.grid) {
    return Fail(ErrorCode::kInvalidArgument,
                "a divergence needs a quantization grid: give 8-bit codes with their scales, or "
                "real values with a grid; this tensor is " +
                    std::string(compressed.quantization ? "quantized " : "") +
                    std::string(NameOf(compressed.dtype)));
  }
  const std::int64_t codes =
      std::int64_t{options.grid->code_max} - std::int64_t{options.grid->code_min} + 1;
  if (codes > 65536) {
    return Fail(ErrorCode::kInvalidArgument, "the quantization grid has " + std::to_string(codes) +
                                                 " codes, but a divergence supports at most 65536");
  }
  return StepBins(options.grid->code_min, options.grid->code_max);
}

// Returns the range of codes of an integer type below eight bits. Such integers are compared as
// bytes.
std::optional<ComparisonOptions::CodeRange> PackedCodes(DType dtype) {
  switch (dtype) {
    case DType::kInt4:
      return ComparisonOptions::CodeRange{-8, 7};
    case DType::kUint4:
      return ComparisonOptions::CodeRange{0, 15};
    case DType::kInt2:
      return ComparisonOptions::CodeRange{-2, 1};
    case DType::kUint2:
      return ComparisonOptions::CodeRange{0, 3};
    default:
      return std::nullopt;
  }
}

Result<void> CheckOptions(const ComparisonOptions& options) {
  if (options.code_range) {
    CBOARD_RETURN_IF_ERROR(
        CheckRange("the code range", options.code_range->min, options.code_range->max));
  }
  if (!options.grid) return {};
  CBOARD_RETURN_IF_ERROR(CheckRange("the grid", options.grid->code_min, options.grid->code_max));
  if (IsUsableScale(options.grid->scale, options.grid->zero_point)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "the grid has scale " + std::to_string(options.grid->scale) + " and zero point " +
                  std::to_string(options.grid->zero_point) +
                  "; the scale must be finite and not 0, and the zero point at most 2^20");
}

}  // namespace

struct ComparisonBuilder::State {
  ComparisonOptions options;
  std::vector<PairSums> channels;  // One entry if there is no channel axis.
  SharedCounts shared;

  Result<void> Add(const TensorView& reference, const TensorView& compressed, std::size_t first,
                   std::size_t channel_count);
  Result<void> PrepareBins(const TensorView& compressed, const ComparisonOptions& used);
};

// Returns the number of channels, or 1 if there is no channel axis. Fails if the axis does not fit
// the tensor.
Result<std::size_t> ChannelsOf(const TensorView& tensor, std::optional<std::size_t> axis,
                               std::size_t first, std::size_t channel_count) {
  if (!axis) return 1;
  if (*axis >= tensor.shape.size()) {
    return Fail(ErrorCode::kInvalidArgument, "channel axis " + std::to_string(*axis) +
                                                 " is not a dimension of a tensor of shape " +
                                                 ShapeText(tensor.shape));
  }
  const auto channels = static_cast<std::size_t>(tensor.shape[*axis]);
  if (first > channel_count || channels > channel_count - first) {
    return Fail(ErrorCode::kInvalidArgument,
                std::to_string(channels) + " channels from channel " + std::to_string(first) +
                    " are too many; the number of channels is " + std::to_string(channel_count));
  }
  return channels;
}

Result<void> ComparisonBuilder::State::PrepareBins(const TensorView& compressed,
                                                   const ComparisonOptions& used) {
  CBOARD_ASSIGN_OR_RETURN(StepBins bins, BinsFor(compressed, used));
  if (shared.bins && !shared.bins->SameBins(bins)) {
    return Fail(ErrorCode::kInvalidArgument, "a tensor of " +
                                                 std::string(NameOf(compressed.dtype)) +
                                                 " has other quantization codes than the tensors "
                                                 "before it; a divergence needs one set of codes");
  }
  if (!shared.bins) shared.bins = std::move(bins);
  return {};
}

Result<void> ComparisonBuilder::State::Add(const TensorView& given_reference,
                                           const TensorView& given_compressed, std::size_t first,
                                           std::size_t channel_count) {
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain_reference, PlainTensor::Of(given_reference));
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain_compressed, PlainTensor::Of(given_compressed));
  const TensorView& reference = plain_reference.view();
  const TensorView& compressed = plain_compressed.view();
  ComparisonOptions used = options;
  if (!used.code_range) used.code_range = PackedCodes(given_compressed.dtype);
  CBOARD_RETURN_IF_ERROR(CheckOptions(options));
  if (reference.shape != compressed.shape) {
    return Fail(ErrorCode::kInvalidArgument,
                "the reference has shape " + ShapeText(reference.shape) +
                    ", but the compressed tensor has shape " + ShapeText(compressed.shape));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t added,
                          ChannelsOf(reference, options.channel_axis, first, channel_count));
  if (options.channel_axis && !channels.empty() && channels.size() != channel_count) {
    return Fail(ErrorCode::kInvalidArgument,
                "a tensor of shape " + ShapeText(reference.shape) + " has " +
                    std::to_string(channel_count) + " channels along axis " +
                    std::to_string(*options.channel_axis) + ", but the tensors before it had " +
                    std::to_string(channels.size()));
  }
  if (reference.element_count() == 0) return {};
  if (options.divergence) CBOARD_RETURN_IF_ERROR(PrepareBins(compressed, used));
  channels.resize(channel_count);
  WalkPairs(reference, compressed, used, std::span(channels).subspan(first, added), shared);
  return {};
}

ComparisonBuilder::ComparisonBuilder(ComparisonOptions options)
    : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  if (!state_->options.channel_axis) state_->channels.resize(1);
}
ComparisonBuilder::~ComparisonBuilder() = default;
ComparisonBuilder::ComparisonBuilder(ComparisonBuilder&&) noexcept = default;
ComparisonBuilder& ComparisonBuilder::operator=(ComparisonBuilder&&) noexcept = default;

Result<void> ComparisonBuilder::Add(const TensorView& reference, const TensorView& compressed) {
  const auto& axis = state_->options.channel_axis;
  const bool has_channels = axis && *axis < reference.shape.size();
  return state_->Add(reference, compressed, 0,
                     has_channels ? static_cast<std::size_t>(reference.shape[*axis]) : 1);
}

Result<void> ComparisonBuilder::AddChannels(const TensorView& reference,
                                            const TensorView& compressed, std::size_t first,
                                            std::size_t channel_count) {
  if (!state_->options.channel_axis) {
    return Fail(ErrorCode::kInvalidArgument,
                "channels cannot be added without a channel axis; set the channel axis");
  }
  return state_->Add(reference, compressed, first, channel_count);
}

Result<void> ComparisonBuilder::Merge(const ComparisonBuilder& other) {
  const State& from = *other.state_;
  State& into = *state_;
  if (from.channels.empty()) return {};
  if (!into.channels.empty() && into.channels.size() != from.channels.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "two comparisons of " + std::to_string(into.channels.size()) + " and " +
                    std::to_string(from.channels.size()) +
                    " channels cannot be merged; they must have the same number of channels");
  }
  if (into.shared.bins && from.shared.bins && !into.shared.bins->SameBins(*from.shared.bins)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "two comparisons whose divergences use different quantization codes cannot be merged");
  }
  into.channels.resize(from.channels.size());
  for (std::size_t i = 0; i < from.channels.size(); ++i) into.channels[i].Merge(from.channels[i]);
  into.shared.Merge(from.shared);
  return {};
}

Comparison ComparisonBuilder::Build() const {
  const State& state = *state_;
  Comparison comparison;
  PairSums total;
  for (const PairSums& channel : state.channels) total.Merge(channel);
  comparison.total = total.Build();
  if (state.shared.bins) comparison.divergence = state.shared.bins->Divergence();
  if (comparison.total.steps) comparison.total.steps->used_codes = state.shared.used_codes();
  if (!state.options.channel_axis) return comparison;
  comparison.channels.reserve(state.channels.size());
  double largest = 0;
  for (const PairSums& sums : state.channels) {
    comparison.channels.push_back(sums.Build());
    largest = std::fmax(largest, comparison.channels.back().reference.sum_squares);
  }
  constexpr double kNegligible = 0x1p-48;
  comparison.negligible_sum_squares = kNegligible * largest;
  double max_noise = 0;
  for (std::size_t i = 0; i < comparison.channels.size(); ++i) {
    const PairStatistics& channel = comparison.channels[i];
    if (!(channel.reference.sum_squares > comparison.negligible_sum_squares)) continue;
    // The noise-to-signal ratio orders channels like SqnrDb(), but needs no logarithm per channel.
    const double noise = channel.sum_squared_error / channel.reference.sum_squares;
    if (std::isnan(noise)) continue;
    if (!comparison.worst_channel || noise > max_noise) {
      comparison.worst_channel = i;
      max_noise = noise;
    }
  }
  return comparison;
}

Result<Comparison> Compare(const TensorView& reference, const TensorView& compressed,
                           const ComparisonOptions& options) {
  ComparisonBuilder builder(options);
  CBOARD_RETURN_IF_ERROR(builder.Add(reference, compressed));
  return builder.Build();
}

}  // namespace cboard::tensor
