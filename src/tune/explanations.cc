#include "tune/explanations.h"

#include <algorithm>

#include "cboard/benchmark/why_slower.h"
#include "cboard/compare/compare_models.h"

namespace cboard::tune {
namespace {

// Names of fused nodes contain the name of the node: "fused conv1", "conv1_nchwc".
std::optional<double> TimeOf(const std::map<std::string, double>& times, const std::string& node) {
  if (const auto found = times.find(node); found != times.end()) return found->second;
  std::optional<double> time;
  for (const auto& [name, us] : times) {
    if (name.find(node) == name.npos) continue;
    if (time) return std::nullopt;  // "conv1" is in "conv10", too.
    time = us;
  }
  return time;
}

}  // namespace

Explanations::Explanations(std::filesystem::path baseline, std::filesystem::path quantized,
                           benchmark::RunOptions run, bool is_enabled)
    : baseline_(std::move(baseline)),
      quantized_(std::move(quantized)),
      run_(std::move(run)),
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
  const auto read = [&](const std::filesystem::path& model, std::map<std::string, double>& times) {
    const auto profile = benchmark::ProfileModel(model, run_);
    if (!profile) return;
    for (const benchmark::ProfiledNode& node : profile->nodes()) {
      times[node.name] += node.median_us;
    }
  };
  read(baseline_, float_us_);
  read(quantized_, quantized_us_);
}

Result<std::vector<Reverted>> Explanations::Of(const PlanChanges& changes, EndMeter& meter,
                                               const std::vector<ErrorSource>& sources) {
  std::vector<Reverted> lines;
  if (changes.empty()) return lines;
  Prepare();
  CBOARD_ASSIGN_OR_RETURN(const double noise, meter.Noise({}));
  constexpr std::size_t kMaxMeasured = 12;  // Single gains of more changes are not measured.
  const bool is_measured = changes.float_nodes.size() + changes.wide_tensors.size() <= kMaxMeasured;
  for (const ErrorSource& source : sources) {
    const bool is_float = source.is_weight && changes.float_nodes.contains(source.key);
    const bool is_wide = !source.is_weight && changes.wide_tensors.contains(source.key);
    if (!is_float && !is_wide) continue;
    PlanChanges alone;
    Restore(source, alone);
    Reverted line{.name = source.name,
                  .op_type = source.op_type,
                  .change = is_float ? "float" : "16 bits",
                  .bytes = AddedBytes(meter.plan(), alone)};
    if (is_measured) {
      CBOARD_ASSIGN_OR_RETURN(const double without, meter.Noise(alone));
      line.gain_db = DbOf(without) - DbOf(noise);
    }
    auto found = by_name_.find(source.name);
    if (found == by_name_.end()) found = by_name_.find(source.key);
    if (found != by_name_.end() && found->second.level != verdict::Level::kGreen) {
      line.cause = NameOf(found->second.cause);
      line.explanation = found->second.explanation;
    }
    const auto before = TimeOf(quantized_us_, source.name), after = TimeOf(float_us_, source.name);
    if (is_float && before && after) line.cost_ms = (*after - *before) / 1000;
    lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(lines, std::greater<>(), &Reverted::gain_db);
  return lines;
}

}  // namespace cboard::tune
