#include "compare/measure/weight_fixes.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace cboard::compare {
namespace {

struct Trial {
  std::string action;
  tensor::Quantizer quantizer;
};

std::vector<Trial> TrialsFrom(const tensor::Quantizer& now, std::size_t row, bool may_group) {
  using Granularity = Quantization::Granularity;
  std::vector<Trial> trials = {{"quantize these weights again, as they are", now}};
  const auto add = [&](std::string action, const auto& change) {
    tensor::Quantizer other = now;
    change(other);
    trials.push_back({std::move(action), other});
  };
  // Percentiles are tried only without groups, because in a small group a percentile equals the
  // maximum.
  if (now.granularity != Granularity::kPerGroup) {
    add("clip at the 99.9th percentile", [](tensor::Quantizer& q) { q.percentile = 99.9; });
    add("clip at the 99.99th percentile", [](tensor::Quantizer& q) { q.percentile = 99.99; });
  }
  const int more_bits = now.bits < 8 ? 8 : 16;
  add(std::to_string(more_bits) + " bits", [&](tensor::Quantizer& q) { q.bits = more_bits; });
  if (now.granularity == Granularity::kPerTensor) {
    add("one scale per output channel",
        [](tensor::Quantizer& q) { q.granularity = Granularity::kPerChannel; });
  }
  // Number of weights per group in most formats with few bits. With 8 bits, groups are not needed.
  constexpr std::size_t kGroup = 32;
  const bool has_such_groups =
      now.granularity == Granularity::kPerGroup && now.group_size <= kGroup;
  if (may_group && now.bits < 8 && row > kGroup && !has_such_groups) {
    add("one scale for each " + std::to_string(kGroup) + " weights", [](tensor::Quantizer& q) {
      q.granularity = Granularity::kPerGroup;
      q.group_size = kGroup;
    });
  }
  return trials;
}

}  // namespace

Result<std::vector<Fix>> FindWeightFixes(const TensorView& rows, const tensor::Quantizer& now,
                                         bool may_group, std::optional<std::size_t> channel_axis) {
  // If channels are short, their sums take more memory than the weights, so the quantizers are
  // tried one after the other, and only the worst channel of each is stored. If channels are long,
  // all quantizers are tried together while the weights are in the CPU cache.
  constexpr std::int64_t kMinRowElements = 1024, kMaxChannels = 4096;
  const bool together =
      !channel_axis || rows.shape[1] >= kMinRowElements || rows.shape[0] <= kMaxChannels;
  const std::vector<Trial> trials =
      TrialsFrom(now, static_cast<std::size_t>(rows.shape[1]), may_group);
  std::vector<tensor::Quantizer> quantizers;
  for (const Trial& trial : trials) quantizers.push_back(trial.quantizer);
  const std::size_t at_once = together ? quantizers.size() : 1;
  std::vector<Fix> fixes;
  for (std::size_t first = 0; first < quantizers.size(); first += at_once) {
    CBOARD_ASSIGN_OR_RETURN(
        const std::vector<tensor::QuantizerTrial> tried,
        tensor::TryQuantizers(rows, std::span(quantizers).subspan(first, at_once), channel_axis));
    for (const auto& [comparison, size_bytes] : tried) {
      Fix fix{.action = trials[fixes.size()].action,
              .sqnr_db = comparison.total.SqnrDb(),
              .size_bytes = size_bytes};
      if (const auto worst = comparison.worst_channel) {
        fix.worst_channel_sqnr_db = comparison.channels[*worst].SqnrDb();
      }
      fixes.push_back(std::move(fix));
    }
  }
  return fixes;
}

}  // namespace cboard::compare
