#include "tune/explanations.h"

#include <algorithm>

#include "cboard/compare/compare_models.h"

namespace cboard::tune {

Explanations::Explanations(std::filesystem::path baseline, std::filesystem::path quantized,
                           benchmark::RunOptions run, OperatorTimes& times, bool is_enabled)
    : baseline_(std::move(baseline)),
      quantized_(std::move(quantized)),
      run_(std::move(run)),
      times_(times),
      is_enabled_(is_enabled) {}

void Explanations::Prepare() {
  if (is_prepared_ || !is_enabled_) return;
  is_prepared_ = true;
  compare::CompareOptions options;
  options.data = run_.data;
  options.shapes = run_.shapes;
  options.samples = 8;
  options.blame_seconds = 0;
  if (const auto comparison = compare::CompareModels(baseline_, quantized_, options)) {
    for (const compare::LayerComparison& layer : comparison->layers) {
      verdict::Diagnosis diagnosis = layer.diagnosis;
      diagnosis.explanation = compare::ExplanationOf(layer);
      by_name_[std::string(compare::NodeOf(layer))] = diagnosis;
      if (!layer.output_tensor.empty()) by_name_.try_emplace(layer.output_tensor, diagnosis);
    }
  }
}

Result<std::vector<Reverted>> Explanations::Of(const PlanChanges& changes, EndMeter& meter,
                                               const std::vector<ErrorSource>& sources) {
  std::vector<Reverted> lines;
  if (changes.empty()) return lines;
  Prepare();
  CBOARD_ASSIGN_OR_RETURN(const double noise, meter.Noise({}));
  constexpr std::size_t kMaxMeasured = 12;  // With more changes, single gains are not measured.
  const bool is_measured = changes.size() <= kMaxMeasured;
  for (const ErrorSource& source : sources) {
    const bool is_float = source.is_weight && changes.float_nodes.contains(source.key);
    const bool is_narrow = source.is_weight && changes.narrow_nodes.contains(source.key);
    const bool is_wide = !source.is_weight && changes.wide_tensors.contains(source.key);
    if (!is_float && !is_wide && !is_narrow) continue;
    PlanChanges alone;
    if (is_narrow) {
      alone.narrow_nodes.insert(source.key);
    } else {
      Restore(source, alone);
    }
    Reverted line{.name = source.name,
                  .op_type = source.op_type,
                  .change = is_float    ? "float"
                            : is_narrow ? "4 bits"
                                        : "16 bits",
                  .bytes = AddedBytes(meter.plan(), alone)};
    if (is_measured) {
      CBOARD_ASSIGN_OR_RETURN(const double without, meter.Noise(alone));
      line.gain_db = DbOf(without) - DbOf(noise);
    }
    auto found = by_name_.find(source.name);
    if (found == by_name_.end()) found = by_name_.find(source.key);
    if (!is_narrow && found != by_name_.end() && found->second.level != verdict::Level::kGreen) {
      line.cause = NameOf(found->second.cause);
      line.explanation = found->second.explanation;
    }
    if (is_float && is_enabled_) {
      if (const auto added = times_.AddedUs(source.name)) line.cost_ms = *added / 1000;
    }
    lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(lines, [](const Reverted& a, const Reverted& b) {
    return a.gain_db.value_or(-1e9) > b.gain_db.value_or(-1e9);
  });
  return lines;
}

}  // namespace cboard::tune
