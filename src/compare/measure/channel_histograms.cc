#include "compare/measure/channel_histograms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "compare/layers/weight_rows.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMaxWeightChannels = 8;
constexpr std::size_t kMaxOutputChannels = 3;  // Each takes memory while samples are compared.
constexpr std::size_t kBins = 64;

// Returns the histograms of one channel in both models, with the same bins; nullopt if values are
// not finite.
std::optional<Histograms> HistogramsOf(std::span<const float> x, std::span<const float> y) {
  const auto [x_min, x_max] = std::ranges::minmax(x);
  const auto [y_min, y_max] = std::ranges::minmax(y);
  double low = std::min(x_min, y_min), high = std::max(x_max, y_max);
  if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
  if (low == high) {
    const double margin = low == 0 ? 1 : std::abs(low) / 2;
    low -= margin;
    high += margin;
  }
  std::array<double, kBins + 1> edges;
  for (std::size_t i = 0; i <= kBins; ++i) {
    edges[i] = low + (high - low) * static_cast<double>(i) / kBins;
  }
  edges.back() = high;
  const auto count = [&](std::span<const float> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    return tensor::ComputeHistogram(TensorView(DType::kFloat32, values.data(), {n}),
                                    tensor::BinEdges{edges});
  };
  auto ours = count(x), theirs = count(y);
  if (!ours || !theirs) return std::nullopt;
  return Histograms{*std::move(ours), *std::move(theirs)};
}

// Returns the values of one channel, one after the other.
std::vector<float> ChannelOf(std::span<const float> values, std::span<const std::int64_t> shape,
                             std::size_t axis, std::size_t channel) {
  const auto channels = static_cast<std::size_t>(shape[axis]);
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    inner *= static_cast<std::size_t>(shape[i]);
  }
  std::vector<float> picked;
  for (std::size_t at = channel * inner; at + inner <= values.size(); at += channels * inner) {
    const std::span<const float> run = values.subspan(at, inner);
    picked.insert(picked.end(), run.begin(), run.end());
  }
  return picked;
}

}  // namespace

std::vector<std::size_t> WorstChannels(const tensor::Comparison& comparison, std::size_t most) {
  std::vector<std::size_t> worst;
  for (std::size_t i = 0; i < comparison.channels.size(); ++i) {
    const tensor::PairStatistics& channel = comparison.channels[i];
    if (channel.reference.sum_squares <= comparison.negligible_sum_squares) continue;
    if (std::isfinite(channel.SqnrDb())) worst.push_back(i);
  }
  const auto end = worst.begin() + static_cast<std::ptrdiff_t>(std::min(most, worst.size()));
  std::ranges::partial_sort(worst, end, {},
                            [&](std::size_t i) { return comparison.channels[i].SqnrDb(); });
  worst.erase(end, worst.end());
  return worst;
}

Result<std::vector<ChannelHistograms>> WeightChannels(
    const model::ModelGraph& baseline, const ModelLayer& before, const model::ModelGraph& variant,
    const ModelLayer& after, const Folding& folding, const tensor::Comparison& comparison) {
  std::vector<ChannelHistograms> found;
  const std::vector<std::size_t> worst = WorstChannels(comparison, kMaxWeightChannels);
  if (worst.empty()) return found;
  CBOARD_ASSIGN_OR_RETURN(
      RowReader ours, RowReader::Open(baseline, before, folding.baseline.factors, folding.inputs));
  CBOARD_ASSIGN_OR_RETURN(RowReader theirs,
                          RowReader::Open(variant, after, folding.variant.factors));
  for (const std::size_t channel : worst) {
    if (channel >= ours.channels() || channel >= theirs.channels()) continue;
    auto histograms = HistogramsOf(ours.Read(channel, 1), theirs.Read(channel, 1));
    if (histograms) found.push_back({channel, *std::move(histograms)});
  }
  return found;
}

Result<void> OutputChannels::Add(std::span<const float> reference,
                                 std::span<const float> compressed,
                                 std::span<const std::int64_t> shape, std::size_t axis,
                                 const tensor::ComparisonBuilder& so_far) {
  if (!is_chosen_) {
    is_chosen_ = true;
    for (const std::size_t channel : WorstChannels(so_far.Build(), kMaxOutputChannels)) {
      channels_.push_back({.index = channel, .baseline = {}, .variant = {}});
    }
  }
  for (Channel& channel : channels_) {
    const auto x = ChannelOf(reference, shape, axis, channel.index);
    CBOARD_RETURN_IF_ERROR(channel.baseline.Add(x));
    const auto y = ChannelOf(compressed, shape, axis, channel.index);
    CBOARD_RETURN_IF_ERROR(channel.variant.Add(y));
  }
  return {};
}

std::vector<ChannelHistograms> OutputChannels::Build() const {
  std::vector<ChannelHistograms> found;
  for (const Channel& channel : channels_) {
    const auto baseline = channel.baseline.Total(), variant = channel.variant.Total();
    if (baseline && variant) found.push_back({channel.index, {*baseline, *variant}});
  }
  return found;
}

}  // namespace cboard::compare
