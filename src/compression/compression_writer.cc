#include "cboard/compression/compression_writer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "compression/tag_key.h"

namespace cboard {
namespace {

constexpr std::string_view kEnergy = "energy_consumption_mw";
constexpr std::string_view kGpuMemory = "gpu_memory_usage_mb";

ModelComparison UsualPair(std::string_view model, const Metrics& fp32, const Metrics& int8) {
  return {
      .model = std::string(model),
      .baseline = std::string(kUsualBaseline),
      .variants = {{std::string(kUsualBaseline), fp32, {}}, {std::string(kUsualVariant), int8, {}}},
      .info = {}};
}

Result<void> Validate(const ModelComparison& comparison) {
  if (comparison.Find(comparison.baseline) == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "model " + Quoted(comparison.model) +
                                                 " has no variant " + Quoted(comparison.baseline) +
                                                 ", which is named as its baseline");
  }
  std::set<std::string> keys;
  for (const Variant& variant : comparison.variants) {
    if (keys.insert(TagKeyOf(variant.name)).second) continue;
    return Fail(ErrorCode::kInvalidArgument, "model " + Quoted(comparison.model) +
                                                 " has two variants that would share the tag " +
                                                 Quoted(TagKeyOf(variant.name)) +
                                                 "; rename one of them");
  }
  return {};
}

// All metrics that any variant has, in the order in which they are logged.
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

}  // namespace

CompressionWriter::CompressionWriter(std::filesystem::path directory, CompressionOptions options)
    : SummaryWriter(std::move(directory), options.writer), options_(std::move(options)) {}

Result<void> CompressionWriter::LogMetric(const ModelComparison& comparison,
                                          const MetricDescription& metric, std::int64_t step,
                                          LogReport& report) {
  std::map<std::string, double> group;
  for (const Variant& variant : comparison.variants) {
    const auto found = variant.metrics.find(metric.key);
    if (found == variant.metrics.end()) {
      report.omitted.push_back(
          {metric.key, metric.key + " of " + Quoted(variant.name) + " is missing"});
      continue;
    }
    group[DirectoryNameOf(variant.name)] = found->second;
    // A metric without a group would be lost by the groups alone.
    if (options_.tags == TagScheme::kGroups && !metric.guide_group.empty()) continue;
    std::string tag =
        TagFor({CompressionTagKind::kMetric, comparison.model, metric.key, variant.name, comparison.baseline});
    CBOARD_RETURN_IF_ERROR(
        AddScalar(tag, found->second, step, LabelsOf(metric, comparison.model, variant.name)));
    report.tags.push_back(std::move(tag));
  }
  if (options_.tags == TagScheme::kFlat || metric.guide_group.empty() || group.empty()) return {};
  const std::string tag =
      TagFor({CompressionTagKind::kGroup, comparison.model, metric.guide_group, {}, comparison.baseline});
  CBOARD_RETURN_IF_ERROR(AddScalars(tag, group, step));
  report.tags.insert(report.tags.end(), group.size(), tag);
  return {};
}

Result<LogReport> CompressionWriter::LogCompressionComparison(const ModelComparison& comparison,
                                                              std::int64_t step) {
  CBOARD_RETURN_IF_ERROR(Validate(comparison));
  LogReport report;
  std::map<std::string, std::string> paths;  // Of metrics, to find two that share a tag.
  for (const MetricDescription& metric : MetricsOf(comparison)) {
    if (metric.key == kEnergy) continue;
    if (metric.key == kGpuMemory && IsZeroEverywhere(comparison, kGpuMemory)) {
      report.omitted.push_back({metric.key, "no variant used a GPU: it is 0 for all"});
      continue;
    }
    const auto [taken, free] =
        paths.emplace(metric.flat_group + "/" + TagKeyOf(metric.flat_name), metric.key);
    if (!free) {
      report.omitted.push_back(
          {metric.key, "it would share its tag with " + Quoted(taken->second)});
      continue;
    }
    CBOARD_RETURN_IF_ERROR(LogMetric(comparison, metric, step, report));
  }
  return report;
}

Result<void> CompressionWriter::LogRatio(const ModelComparison& comparison, const Variant& variant,
                                         const RatioValue& ratio, std::int64_t step,
                                         LogReport& report) {
  std::string tag =
      TagFor({CompressionTagKind::kRatio, comparison.model, ratio.name, variant.name, comparison.baseline});
  CBOARD_RETURN_IF_ERROR(
      AddScalar(tag, ratio.value, step,
                LabelsOf(ratio, comparison.model, variant.name, comparison.baseline)));
  report.tags.push_back(std::move(tag));
  return {};
}

Result<void> CompressionWriter::LogRatiosIf(const ModelComparison& comparison, bool energy,
                                            std::int64_t step, LogReport& report) {
  const Variant& baseline = *comparison.Find(comparison.baseline);
  for (const Variant& variant : comparison.variants) {
    if (&variant == &baseline) continue;
    Ratios ratios = ComputeRatios(baseline.metrics, variant.metrics, baseline.name, variant.name);
    for (const RatioValue& ratio : ratios.values) {
      if ((ratio.metric == kEnergy) != energy) continue;
      CBOARD_RETURN_IF_ERROR(LogRatio(comparison, variant, ratio, step, report));
    }
    for (Omission& omission : ratios.omitted) {
      if (omission.what.starts_with("energy_") == energy) {
        report.omitted.push_back(std::move(omission));
      }
    }
  }
  return {};
}

Result<LogReport> CompressionWriter::LogCompressionRatios(const ModelComparison& comparison,
                                                          std::int64_t step) {
  CBOARD_RETURN_IF_ERROR(Validate(comparison));
  LogReport report;
  CBOARD_RETURN_IF_ERROR(LogRatiosIf(comparison, /*energy=*/false, step, report));
  return report;
}

Result<LogReport> CompressionWriter::LogEnergyComparison(const ModelComparison& comparison,
                                                         std::int64_t step) {
  CBOARD_RETURN_IF_ERROR(Validate(comparison));
  LogReport report;
  const bool measured = std::ranges::any_of(comparison.variants, [](const Variant& variant) {
    return variant.metrics.contains(kEnergy);
  });
  if (!measured) return report;
  CBOARD_RETURN_IF_ERROR(LogMetric(comparison, DescribeMetric(kEnergy), step, report));
  CBOARD_RETURN_IF_ERROR(LogRatiosIf(comparison, /*energy=*/true, step, report));
  return report;
}

Result<LogReport> CompressionWriter::LogLatencyDistribution(const ModelComparison& comparison,
                                                            std::int64_t step) {
  CBOARD_RETURN_IF_ERROR(Validate(comparison));
  LogReport report;
  for (const Variant& variant : comparison.variants) {
    std::vector<double> finite;
    std::ranges::copy_if(variant.latencies_ms, std::back_inserter(finite),
                         [](double latency) { return std::isfinite(latency); });
    const std::size_t dropped = variant.latencies_ms.size() - finite.size();
    if (dropped > 0) {
      report.omitted.push_back({"latency_distribution/" + variant.name,
                                "samples that are not finite: " + HumanCount(dropped)});
    }
    if (finite.empty()) continue;
    std::string tag = TagFor(
        {CompressionTagKind::kLatencyDistribution, comparison.model, {}, variant.name, comparison.baseline});
    CBOARD_RETURN_IF_ERROR(AddHistogram(tag, finite, step));
    report.tags.push_back(std::move(tag));
  }
  return report;
}

Result<LogReport> CompressionWriter::LogAurora(const ModelComparison& comparison,
                                               std::int64_t step) {
  CBOARD_RETURN_IF_ERROR(Validate(comparison));
  LogReport report;
  const Variant& baseline = *comparison.Find(comparison.baseline);
  for (const Variant& variant : comparison.variants) {
    if (&variant == &baseline) continue;
    const auto aurora = ComputeAurora(baseline.metrics, variant.metrics, options_.aurora);
    if (!aurora) {
      report.omitted.push_back({"aurora", Quoted(variant.name) + ": " + aurora.error().message});
      continue;
    }
    std::vector<std::pair<std::string, double>> values = {{"aurora", aurora->score},
                                                          {"aurora_mean", aurora->mean}};
    for (const AuroraFactor& factor : aurora->factors) {
      values.emplace_back("aurora/" + std::string(factor.name), factor.factor);
    }
    values.emplace_back("aurora/penalty", aurora->penalty_factor);
    for (const auto& [name, value] : values) {
      std::string tag =
          TagFor({CompressionTagKind::kRatio, comparison.model, name, variant.name, comparison.baseline});
      CBOARD_RETURN_IF_ERROR(
          AddScalar(tag, value, step,
                    LabelsOfAurora(name, *aurora, options_.aurora, comparison.model, variant.name,
                                   comparison.baseline)));
      report.tags.push_back(std::move(tag));
    }
  }
  return report;
}

Result<LogReport> CompressionWriter::LogModel(const ModelComparison& comparison,
                                              std::int64_t step) {
  LogReport report;
  const auto log = [&](Result<LogReport> part) -> Result<void> {
    if (!part) return Fail(std::move(part).error());
    report.Add(*std::move(part));
    return {};
  };
  CBOARD_RETURN_IF_ERROR(log(LogCompressionComparison(comparison, step)));
  CBOARD_RETURN_IF_ERROR(log(LogCompressionRatios(comparison, step)));
  CBOARD_RETURN_IF_ERROR(log(LogEnergyComparison(comparison, step)));
  CBOARD_RETURN_IF_ERROR(log(LogAurora(comparison, step)));
  CBOARD_RETURN_IF_ERROR(log(LogLatencyDistribution(comparison, step)));
  if (!comparison.info.empty()) {
    CBOARD_RETURN_IF_ERROR(log(LogModelMetadata(comparison.model, comparison.info, step)));
  }
  return report;
}

Result<LogReport> CompressionWriter::LogCompressionComparison(std::string_view model,
                                                              const Metrics& fp32,
                                                              const Metrics& int8,
                                                              std::int64_t step) {
  return LogCompressionComparison(UsualPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogCompressionRatios(std::string_view model,
                                                          const Metrics& fp32, const Metrics& int8,
                                                          std::int64_t step) {
  return LogCompressionRatios(UsualPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogEnergyComparison(std::string_view model,
                                                         const Metrics& fp32, const Metrics& int8,
                                                         std::int64_t step) {
  return LogEnergyComparison(UsualPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogAurora(std::string_view model, const Metrics& fp32,
                                               const Metrics& int8, std::int64_t step) {
  return LogAurora(UsualPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogLatencyDistribution(
    std::string_view model, std::span<const double> fp32_latencies_ms,
    std::span<const double> int8_latencies_ms, std::int64_t step) {
  ModelComparison comparison = UsualPair(model, {}, {});
  comparison.variants[0].latencies_ms.assign(fp32_latencies_ms.begin(), fp32_latencies_ms.end());
  comparison.variants[1].latencies_ms.assign(int8_latencies_ms.begin(), int8_latencies_ms.end());
  return LogLatencyDistribution(comparison, step);
}

}  // namespace cboard
