#include "compare/measure/weight_comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "cboard/tensor/ranked_magnitude.h"
#include "compare/layers/code_rows.h"
#include "compare/measure/permuted_channels.h"
#include "compare/measure/weight_fixes.h"

namespace cboard::compare {
namespace {

// A channel counts as rescaled, not damaged, if multiplying it by a factor gives at least this
// SQNR.
constexpr double kRescaledDb = 25;
// Minimum standard deviation of a channel in the comparison of biases, as a share of the typical
// standard deviation.
constexpr double kMinDeviation = 0.1;
// Above this number of weights, the divergence is not computed, because it would take too long.
constexpr std::size_t kMaxForDivergence = std::size_t{1} << 20;

// Returns the factor that brings a channel of the baseline closest to the compressed channel.
double FactorOf(const tensor::PairStatistics& channel) {
  const double energy = channel.reference.sum_squares;
  return energy > 0 ? channel.Dot() / energy : 1;
}

// Returns true if a factor explains the difference of the channel. The factor may be negative,
// because a normalization may have changed the sign.
bool IsOnlyScaled(const tensor::PairStatistics& channel, double factor) {
  const double energy = channel.compressed.sum_squares;
  const double left = energy - factor * factor * channel.reference.sum_squares;
  return factor != 0 && energy >= left * std::pow(10, kRescaledDb / 10);
}

// Returns the factor of each channel if most channels are explained by a factor, and most factors
// differ from 1 and from each other; otherwise empty. Channels are examined one by one, because in
// a sum over channels, one large channel would hide small damaged channels.
std::vector<double> RescalingOf(const tensor::Comparison& comparison) {
  std::vector<double> factors;
  double sum = 0, squares = 0;
  std::size_t differing = 0, explained = 0;
  for (const tensor::PairStatistics& channel : comparison.channels) {
    const double factor = FactorOf(channel);
    const bool is_scaled = IsOnlyScaled(channel, factor);
    factors.push_back(is_scaled ? factor : 1);
    if (!is_scaled) continue;
    ++explained;
    if (std::abs(factor - 1) > 0.02) ++differing;
    sum += factor;
    squares += factor * factor;
  }
  const double n = static_cast<double>(explained);
  const std::uint64_t row = factors.empty() ? 0 : comparison.total.count / factors.size();
  if (factors.size() < 2 || row < 4) return {};
  if (4 * explained < 3 * factors.size() || 2 * differing < factors.size()) return {};
  if (squares / n - (sum / n) * (sum / n) < 0.02 * 0.02 * squares / n) return {};
  return factors;
}

// Returns the tensor that has the scales of `weight`: the tensor by which it is rounded or, without
// one, the stored tensor.
const model::ModelTensor& RoundedBy(const model::ModelGraph& model,
                                    const model::ModelTensor& weight) {
  return model.tensor(weight.rounded_by == model::kNoTensor ? weight.source : weight.rounded_by);
}

bool SharesScale(const model::ModelTensor& rounded) {
  return rounded.quantization && rounded.quantization->scales.size() == 1;
}

std::string PrecisionOf(const model::ModelTensor& tensor) {
  if (IsBlockType(tensor.type)) return std::string(NameOf(tensor.type));
  const bool is_small_float = HoldsCodes(tensor.type) && !IsInteger(tensor.type);
  if (is_small_float) return tensor.type == DType::kFloat4E2m1 ? "fp4" : "fp8";
  // Weights stored as floats may also be multiples of a scale.
  if (tensor.quantization) return "int" + std::to_string(tensor.quantization->bits());
  switch (tensor.type) {
    case DType::kFloat32:
      return "fp32";
    case DType::kFloat64:
      return "fp64";
    case DType::kFloat16:
      return "fp16";
    case DType::kBfloat16:
      return "bf16";
    default:
      return std::string(NameOf(tensor.type));
  }
}

// Compares weights without reordering them, if both models store them in the same order and the
// compressed weights are integer codes. Codes also give the share of clipped values and the number
// of different codes. If
// `factors` is not empty, the channels of the baseline are multiplied by them. Returns nullopt if
// rows must be reordered.
Result<std::optional<tensor::Comparison>> CompareInPlace(
    const model::ModelGraph& baseline, const ModelLayer& before, const model::ModelGraph& variant,
    const ModelLayer& after, const std::vector<double>& factors, bool by_channel) {
  const std::optional<TensorView> codes = variant.ViewOf(after.weight);
  const std::optional<TensorView> reference = baseline.ViewOf(before.weight);
  if (!codes || !reference || !codes->quantization || codes->shape != reference->shape ||
      codes->shape != variant.tensor(after.weight).shape ||
      reference->shape != baseline.tensor(before.weight).shape || before.layout != after.layout ||
      after.layout.direction_axis || !after.layout.channel_order.empty() ||
      before.paired_heads != after.paired_heads) {
    return std::nullopt;
  }
  const bool is_byte = codes->dtype == DType::kInt8 || codes->dtype == DType::kUint8;
  const tensor::ComparisonOptions options{
      .channel_axis = by_channel ? std::optional(after.layout.channel_axis) : std::nullopt,
      .divergence = is_byte && codes->element_count() <= kMaxForDivergence};
  if (factors.empty()) return Compare(*reference, *codes, options);
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> scaled, ReadScaled(baseline, before, factors));
  return Compare(TensorView(scaled, reference->shape), *codes, options);
}

// Calls `visit(first, count)` for a few rows at a time, so that the rows stay in the CPU cache.
template <typename Visitor>
Result<void> ForEachRows(const RowReader& rows, const Visitor& visit) {
  constexpr std::size_t kElements = std::size_t{1} << 16;
  const std::size_t most =
      std::max<std::size_t>(1, kElements / std::max<std::size_t>(rows.row(), 1));
  for (std::size_t first = 0; first < rows.channels(); first += most) {
    CBOARD_RETURN_IF_ERROR(visit(first, std::min(most, rows.channels() - first)));
  }
  return {};
}

TensorView ViewOf(std::span<const float> rows, std::size_t count, std::size_t row) {
  return TensorView(DType::kFloat32, rows.data(),
                    {static_cast<std::int64_t>(count), static_cast<std::int64_t>(row)});
}

TensorView ReadView(RowReader& rows, std::size_t first, std::size_t count) {
  return ViewOf(rows.Read(first, count), count, rows.row());
}

TensorView ReadView(CodeRows& rows, std::size_t first, std::size_t count) {
  return rows.Read(first, count);
}

// Compares the rows of two layers. `Rows` is RowReader or CodeRows.
template <typename Rows>
Result<tensor::Comparison> CompareRows(RowReader& before, Rows& after,
                                       const tensor::ComparisonOptions& options) {
  tensor::ComparisonBuilder builder(options);
  CBOARD_RETURN_IF_ERROR(ForEachRows(before, [&](std::size_t first, std::size_t count) {
    const TensorView x = ReadView(before, first, count), y = ReadView(after, first, count);
    return options.channel_axis ? builder.AddChannels(x, y, first, before.channels())
                                : builder.Add(x, y);
  }));
  return builder.Build();
}

// Returns a quantizer with the same bit width and granularity as the given quantization.
tensor::Quantizer QuantizerOf(const model::ModelQuantization& quantization, int bits,
                              std::size_t channels) {
  using Granularity = Quantization::Granularity;
  constexpr std::size_t kDefaultGroupSize = 32;
  tensor::Quantizer quantizer{.bits = std::clamp(bits, 2, 16)};
  const std::size_t scales = quantization.scales.size();
  if (scales == 0) {  // Block formats store the scales in their blocks.
    quantizer.granularity = Granularity::kPerGroup;
    quantizer.group_size = kDefaultGroupSize;
  } else if (scales >= channels && quantization.granularity == Granularity::kPerGroup) {
    quantizer.granularity = Granularity::kPerGroup;
    quantizer.group_size = quantization.group_size;
  } else if (scales >= channels) {
    quantizer.granularity = Granularity::kPerChannel;
  }
  return quantizer;
}

// Returns the quantization step of each row: a single value if all rows have the same step, 0 for
// floats. nullopt if a row has several steps or additional factors.
std::optional<std::vector<float>> StepsByRow(const model::ModelTensor& rounded,
                                             const ModelLayer& layer, std::size_t rows,
                                             bool has_factors) {
  using Granularity = Quantization::Granularity;
  if (!rounded.quantization) return std::vector<float>{0};
  const model::ModelQuantization& how = *rounded.quantization;
  if (has_factors) return std::nullopt;
  if (SharesScale(rounded)) return how.scales;
  const bool is_by_row = how.granularity == Granularity::kPerChannel && how.scales.size() == rows &&
                         how.axis == layer.layout.channel_axis && !layer.layout.direction_axis &&
                         layer.layout.channel_order.empty();
  return is_by_row ? std::optional(how.scales) : std::nullopt;
}

// Collects statistics that only a diagnosis needs: medians of channels, pruned weights, permuted
// channels, and the clipping residual (of the baseline's weights clipped to the range of the
// compressed weights). Without statistics by channel in `findings`, collects only totals.
Result<void> CollectEvidence(RowReader& before, RowReader& after, const model::ModelTensor& rounded,
                             const std::optional<std::vector<float>>& steps,
                             const Thresholds& thresholds, WeightFindings& findings) {
  const tensor::Comparison& comparison = findings.comparison;
  const std::size_t row = before.row();
  const bool by_channel = !comparison.channels.empty();
  const bool may_be_permuted = by_channel && comparison.total.SqnrDb() < thresholds.sqnr_red_db;
  const bool may_clip = rounded.quantization && comparison.total.finite_count() > 0 &&
                        (by_channel || SharesScale(rounded));
  if (!by_channel && !may_clip && !steps) return {};
  PruningSearch pruning;
  PermutedChannels permuted(may_be_permuted ? before.ReadAll() : std::span<const float>(), row);
  ClippingResidual left;
  if (by_channel) findings.channel_medians.resize(before.channels());
  const auto look = [&](std::size_t first, std::size_t count) -> Result<void> {
    const std::span<const float> xs = before.Read(first, count), ys = after.Read(first, count);
    // Used only if there are no statistics by channel. Channels that are all zero are then not
    // excluded.
    if (!by_channel && steps && steps->size() == 1) pruning.AddRow(xs, ys, (*steps)[0]);
    for (std::size_t i = 0; i < count && row > 0; ++i) {
      const std::size_t channel = first + i;
      const auto x = xs.subspan(i * row, row), y = ys.subspan(i * row, row);
      if (by_channel) findings.channel_medians[channel] = tensor::RankedMagnitude(x, row / 2);
      if (by_channel && steps) {
        pruning.AddRow(x, y, (*steps)[steps->size() == 1 ? 0 : channel]);
      }
      if (may_clip) {
        const tensor::TensorStatistics& range = SharesScale(rounded)
                                                    ? comparison.total.compressed
                                                    : comparison.channels[channel].compressed;
        left.Add(x, y, static_cast<float>(range.min), static_cast<float>(range.max));
      }
      if (may_be_permuted && permuted.IsPermuted(channel, y)) {
        ++findings.permuted.channels;
        findings.permuted.sum_squared_error += comparison.channels[channel].sum_squared_error;
      }
    }
    return {};
  };
  CBOARD_RETURN_IF_ERROR(ForEachRows(before, look));
  if (may_clip) findings.clipping_residual = left;
  findings.pruned = pruning.Found();
  if (Diagnose(findings.ToEvidence(), thresholds).cause != Cause::kPruned) return {};
  SmallestWeights smallest;
  CBOARD_RETURN_IF_ERROR(ForEachRows(before, [&](std::size_t first, std::size_t count) {
    smallest.Add(before.Read(first, count));
    return Result<void>();
  }));
  findings.fixes = smallest.Fixes(comparison.total, findings.pruned, thresholds.sqnr_red_db);
  return {};
}

}  // namespace

Result<std::vector<float>> ReadScaled(const model::ModelGraph& model, const ModelLayer& layer,
                                      const std::vector<double>& factors) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> values,
                          model.ReadWeights(layer.weight, 8 * model.file_bytes()));
  if (factors.empty()) return values;
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  std::size_t inner = 1;
  for (std::size_t i = layer.layout.channel_axis + 1; i < shape.size(); ++i) {
    inner *= static_cast<std::size_t>(shape[i]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(values[i] * factors[i / inner % factors.size()]);
  }
  return values;
}

int BitsOfWeight(const model::ModelGraph& model, model::TensorId weight) {
  const model::ModelTensor& rounded = RoundedBy(model, model.tensor(weight));
  return rounded.quantization ? rounded.quantization->bits()
                              : static_cast<int>(BitsPerElement(rounded.type));
}

Result<WeightFindings> CompareWeights(const model::ModelGraph& baseline, const ModelLayer& before,
                                      const model::ModelGraph& variant, const ModelLayer& after,
                                      const Folding& folding, const WeightOptions& options) {
  WeightFindings findings;
  findings.is_rescaled = folding.HasFactors();
  const model::ModelTensor& weight = variant.tensor(after.weight);
  const model::ModelTensor& rounded = RoundedBy(variant, weight);
  findings.bits = BitsOfWeight(variant, after.weight);
  if (rounded.quantization) {
    // If a recurrent layer has one scale per direction, all channels of a direction share a scale.
    const std::vector<float>& scales = rounded.quantization->scales;
    const bool is_by_direction =
        after.layout.direction_axis && !scales.empty() &&
        std::cmp_equal(scales.size(), weight.shape[*after.layout.direction_axis]);
    if (SharesScale(rounded) || is_by_direction)
      findings.step = double{*std::ranges::max_element(scales)};
  }
  findings.precision = PrecisionOf(rounded);
  const auto is_green = [&] {
    return Diagnose(findings.ToEvidence(), options.thresholds).level == Level::kGreen;
  };

  bool is_compared = false;
  if (folding.variant.factors.empty() && folding.inputs.factors.empty()) {
    CBOARD_ASSIGN_OR_RETURN(std::optional<tensor::Comparison> in_place,
                            CompareInPlace(baseline, before, variant, after,
                                           folding.baseline.factors, options.by_channel));
    if (in_place) {
      findings.comparison = *std::move(in_place);
      if (is_green()) return findings;  // Most layers end here, without copying weights.
      is_compared = true;
    }
  }
  std::optional<RowReader> ours, theirs;
  std::optional<CodeRows> codes;
  const auto open_variant = [&]() -> Result<void> {
    if (theirs) return {};
    CBOARD_ASSIGN_OR_RETURN(theirs, RowReader::Open(variant, after, folding.variant.factors));
    return {};
  };
  const auto channel_axis = options.by_channel ? std::optional<std::size_t>(0) : std::nullopt;
  // Compares integer codes if the compressed weights are codes and no factors apply; otherwise
  // floats.
  const auto compare_rows = [&](std::span<const double> factors) -> Result<tensor::Comparison> {
    CBOARD_ASSIGN_OR_RETURN(ours, RowReader::Open(baseline, before, factors, folding.inputs));
    if (folding.variant.factors.empty() && !codes) {
      CBOARD_ASSIGN_OR_RETURN(codes, CodeRows::Open(variant, after));
    }
    if (codes) {
      return CompareRows(*ours, *codes,
                         {.channel_axis = channel_axis,
                          .code_range = codes->code_range(),
                          .divergence = ours->channels() * ours->row() <= kMaxForDivergence});
    }
    CBOARD_RETURN_IF_ERROR(open_variant());
    return CompareRows(*ours, *theirs, {.channel_axis = channel_axis});
  };
  if (!is_compared) {
    CBOARD_ASSIGN_OR_RETURN(findings.comparison, compare_rows(folding.baseline.factors));
  }
  if (options.allow_rescaling) findings.rescaling = RescalingOf(findings.comparison);
  if (findings.rescaling.empty() && is_green()) return findings;
  std::vector<double> factors = folding.baseline.factors;
  if (!findings.rescaling.empty()) {
    factors.resize(findings.rescaling.size(), 1);
    std::ranges::transform(factors, findings.rescaling, factors.begin(), std::multiplies<>());
    findings.is_rescaled = true;
    CBOARD_ASSIGN_OR_RETURN(findings.comparison, compare_rows(factors));
    if (is_green()) return findings;
  } else if (!ours) {
    CBOARD_ASSIGN_OR_RETURN(ours, RowReader::Open(baseline, before, factors, folding.inputs));
  }
  CBOARD_RETURN_IF_ERROR(open_variant());
  CBOARD_RETURN_IF_ERROR(CollectEvidence(
      *ours, *theirs, rounded,
      StepsByRow(rounded, after, ours->channels(), !folding.variant.factors.empty()),
      options.thresholds, findings));
  // Tries other quantizers. Skips pruned weights, because no scale would restore them.
  if (rounded.quantization && findings.fixes.empty()) {
    theirs.reset();
    const TensorView rows = ViewOf(ours->ReadAll(), ours->channels(), ours->row());
    const tensor::Quantizer now =
        QuantizerOf(*rounded.quantization, findings.bits, ours->channels());
    CBOARD_ASSIGN_OR_RETURN(findings.fixes,
                            FindWeightFixes(rows, now, weight.shape.size() == 2, channel_axis));
  }
  return findings;
}

Result<std::optional<std::vector<double>>> BiasShifts(
    const model::ModelGraph& baseline, const ModelLayer& before, const model::ModelGraph& variant,
    const ModelLayer& after, const Folding& folding, const OutputSpread& output) {
  const std::vector<double>& deviations = output.deviations;
  const bool have_bias = before.bias != model::kNoTensor && after.bias != model::kNoTensor;
  if (!have_bias && !folding.HasFactors()) return std::nullopt;
  // ONNX stores one bias for the input and one for the state; OpenVINO stores their sum.
  ModelLayer ours = before, theirs = after;
  ours.has_summed_bias = before.bias_half && !after.bias_half;
  theirs.has_summed_bias = after.bias_half && !before.bias_half;
  CBOARD_ASSIGN_OR_RETURN(const auto b, FoldedBias(baseline, ours, folding.baseline));
  CBOARD_ASSIGN_OR_RETURN(const auto c, FoldedBias(variant, theirs, folding.variant));
  if (b.size() != c.size() || b.size() != deviations.size()) return std::nullopt;
  double squares = 0;
  for (const double deviation : deviations) squares += deviation * deviation;
  const double least = kMinDeviation * std::sqrt(squares / static_cast<double>(deviations.size()));
  std::vector<double> shifts(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double deviation = std::max(deviations[i], least);
    double offset = std::abs(double{c[i]} - b[i]);
    if (!output.errors.empty()) offset = std::min(offset, output.errors[i]);
    if (deviation > 0) shifts[i] = offset / deviation;
  }
  return shifts;
}

}  // namespace cboard::compare
