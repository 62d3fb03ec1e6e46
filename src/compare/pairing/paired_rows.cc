#include "compare/pairing/paired_rows.h"

namespace cboard::compare {
namespace {

Result<void> Fold(const PairedModels& models, std::size_t pair,
                  std::span<const std::size_t> channels, PairedRows& rows) {
  CBOARD_ASSIGN_OR_RETURN(const Folding folding, models.FoldingOf(pair));
  const auto scale = [&](const std::vector<double>& factors, WeightRows& side) {
    if (factors.empty()) return;
    std::vector<double> some;
    for (const std::size_t channel : channels) some.push_back(factors[channel]);
    ScaleRows(some, side.values);
  };
  scale(folding.baseline.factors, rows.x);
  scale(folding.variant.factors, rows.y);
  return {};
}

}  // namespace

Result<PairedRows> ReadBoth(const PairedModels& models, std::size_t pair) {
  PairedRows rows;
  CBOARD_ASSIGN_OR_RETURN(rows.x, ReadRows(models.baseline, models.Before(pair)));
  CBOARD_ASSIGN_OR_RETURN(rows.y, ReadRows(models.variant, models.After(pair)));
  const auto all = SamplePositions(rows.x.channels, rows.x.channels, 1);
  CBOARD_RETURN_IF_ERROR(Fold(models, pair, all, rows));
  return rows;
}

WeightRows SampledRows::ScaledByInputs(const InputFactors& inputs) const {
  const auto& [factors, layout] = inputs;
  WeightRows scaled = rows.x;
  for (std::size_t i = 0; i < scaled.values.size(); ++i) {
    const std::size_t group = channels[i / scaled.row] / (all_channels / layout.groups);
    const std::size_t input = group * layout.in_group() + elements[i % scaled.row] / layout.each;
    scaled.values[i] = static_cast<float>(scaled.values[i] * factors[input]);
  }
  return scaled;
}

Result<SampledRows> ReadSample(const PairedModels& models, std::size_t pair) {
  constexpr std::size_t kRows = 32, kStretches = 4, kStretch = 16;
  const ModelLayer before = models.Before(pair), after = models.After(pair);
  const WeightSize size = SizeOf(models.baseline, before);
  SampledRows some{.rows = {},
                   .channels = SamplePositions(size.channels, kRows, 1),
                   .elements = SamplePositions(size.elements / size.channels, kStretches, kStretch),
                   .all_channels = size.channels};
  auto& [x, y] = some.rows;
  CBOARD_ASSIGN_OR_RETURN(x, ReadSubset(models.baseline, before, some.channels, some.elements));
  CBOARD_ASSIGN_OR_RETURN(y, ReadSubset(models.variant, after, some.channels, some.elements));
  CBOARD_RETURN_IF_ERROR(Fold(models, pair, some.channels, some.rows));
  return some;
}

}  // namespace cboard::compare
