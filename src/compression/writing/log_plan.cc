#include "cboard/compression/log_plan.h"

#include <algorithm>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "compression/tags/tag_key.h"

namespace cboard::compression {
namespace {

constexpr std::string_view kEnergy = "energy_consumption_mw";
constexpr std::string_view kGpuMemory = "gpu_memory_usage_mb";

// Returns all metrics that any variant has, in the order in which they are logged.
std::vector<MetricDescription> MetricsOf(const ModelComparison& comparison) {
  Metrics all;
  for (const Variant& variant : comparison.variants) {
    all.insert(variant.metrics.begin(), variant.metrics.end());
  }
  std::vector<MetricDescription> metrics;
  for (auto& [metric, value] : InLogOrder(all)) metrics.push_back(std::move(metric));
  return metrics;
}

bool IsZeroEverywhere(const ModelComparison& comparison, std::string_view key) {
  return std::ranges::all_of(comparison.variants, [&](const Variant& variant) {
    const auto found = variant.metrics.find(key);
    return found == variant.metrics.end() || found->second == 0;
  });
}

void AddMetric(const ModelComparison& comparison, const MetricDescription& metric, TagScheme tags,
               LogPlan& plan) {
  PlannedValue group{.kind = CompressionTagKind::kGroup, .name = metric.guide_group};
  for (const Variant& variant : comparison.variants) {
    const auto found = variant.metrics.find(metric.key);
    if (found == variant.metrics.end()) {
      plan.omitted.push_back(
          {metric.key, metric.key + " of " + Quoted(variant.name) + " is missing"});
      continue;
    }
    // Derived values are not logged in groups, because the sub-runs of a group have no labels that
    // could mark the values as derived.
    const bool derived = variant.derived.contains(metric.key);
    if (!derived) group.group[DirectoryNameOf(variant.name)] = found->second;
    // Metrics that belong to no group are logged as flat tags; otherwise they would be missing.
    if (tags == TagScheme::kGroups && !metric.guide_group.empty() && !derived) continue;
    plan.values.push_back({.kind = CompressionTagKind::kMetric,
                           .name = metric.key,
                           .variant = variant.name,
                           .value = found->second,
                           .labels = LabelsOf(metric, comparison.model, variant.name, derived)});
  }
  if (tags == TagScheme::kFlat || metric.guide_group.empty() || group.group.empty()) return;
  plan.values.push_back(std::move(group));
}

void AddRatiosIf(const ModelComparison& comparison, bool energy, LogPlan& plan) {
  const Variant& baseline = *comparison.Find(comparison.baseline);
  for (const Variant& variant : comparison.variants) {
    if (&variant == &baseline) continue;
    Ratios ratios = ComputeRatios(baseline.metrics, variant.metrics, baseline.name, variant.name);
    for (const RatioValue& ratio : ratios.values) {
      if ((ratio.metric == kEnergy) != energy) continue;
      const bool derived =
          baseline.derived.contains(ratio.metric) || variant.derived.contains(ratio.metric);
      plan.values.push_back(
          {.kind = CompressionTagKind::kRatio,
           .name = std::string(ratio.name),
           .variant = variant.name,
           .value = ratio.value,
           .labels = LabelsOf(ratio, comparison.model, variant.name, baseline.name, derived)});
    }
    for (Omission& omission : ratios.omitted) {
      if (omission.what.starts_with("energy_") == energy) {
        plan.omitted.push_back(std::move(omission));
      }
    }
  }
}

}  // namespace

Result<LogPlan> PlanComparison(const ModelComparison& comparison, TagScheme tags) {
  CBOARD_RETURN_IF_ERROR(comparison.Validate());
  LogPlan plan;
  std::map<std::string, std::string> paths;  // By metric, to find two metrics with the same tag.
  for (const MetricDescription& metric : MetricsOf(comparison)) {
    if (metric.key == kEnergy) continue;
    if (metric.key == kGpuMemory && IsZeroEverywhere(comparison, kGpuMemory)) {
      plan.omitted.push_back({metric.key, "no variant used a GPU: it is 0 for all"});
      continue;
    }
    const auto [taken, free] =
        paths.emplace(metric.flat_group + "/" + TagKeyOf(metric.flat_name), metric.key);
    if (!free) {
      plan.omitted.push_back({metric.key, "it would share its tag with " + Quoted(taken->second)});
      continue;
    }
    AddMetric(comparison, metric, tags, plan);
  }
  return plan;
}

Result<LogPlan> PlanRatios(const ModelComparison& comparison) {
  CBOARD_RETURN_IF_ERROR(comparison.Validate());
  LogPlan plan;
  AddRatiosIf(comparison, /*energy=*/false, plan);
  return plan;
}

Result<LogPlan> PlanEnergy(const ModelComparison& comparison, TagScheme tags) {
  CBOARD_RETURN_IF_ERROR(comparison.Validate());
  LogPlan plan;
  const bool measured = std::ranges::any_of(comparison.variants, [](const Variant& variant) {
    return variant.metrics.contains(kEnergy);
  });
  if (!measured) return plan;
  AddMetric(comparison, DescribeMetric(kEnergy), tags, plan);
  AddRatiosIf(comparison, /*energy=*/true, plan);
  return plan;
}

Result<LogPlan> PlanAurora(const ModelComparison& comparison, const AuroraOptions& options) {
  CBOARD_RETURN_IF_ERROR(comparison.Validate());
  LogPlan plan;
  const Variant& baseline = *comparison.Find(comparison.baseline);
  for (const Variant& variant : comparison.variants) {
    if (&variant == &baseline) continue;
    const auto aurora = ComputeAurora(baseline.Measured(), variant.Measured(), options);
    if (!aurora) {
      plan.omitted.push_back({"aurora", Quoted(variant.name) + ": " + aurora.error().message});
      continue;
    }
    const auto add = [&](std::string name, double value) {
      writer::ScalarLabels labels = LabelsOfAurora(name, *aurora, options, comparison.model,
                                                   variant.name, comparison.baseline);
      plan.values.push_back({.kind = CompressionTagKind::kRatio,
                             .name = std::move(name),
                             .variant = variant.name,
                             .value = value,
                             .labels = std::move(labels)});
    };
    add("aurora", aurora->score);
    add("aurora_mean", aurora->mean);
    for (const AuroraFactor& factor : aurora->factors) {
      add("aurora/" + std::string(factor.name), factor.factor);
    }
    add("aurora/penalty", aurora->penalty_factor);
  }
  return plan;
}

}  // namespace cboard::compression
