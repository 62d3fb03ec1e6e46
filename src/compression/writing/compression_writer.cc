#include "cboard/compression/compression_writer.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/compression/latency_edges.h"

namespace cboard::compression {
namespace {

ModelComparison DefaultPair(std::string_view model, const Metrics& fp32, const Metrics& int8) {
  return {.model = std::string(model),
          .baseline = std::string(kDefaultBaseline),
          .variants = {{std::string(kDefaultBaseline), fp32, {}},
                       {std::string(kDefaultVariant), int8, {}}},
          .info = {}};
}

}  // namespace

CompressionWriter::CompressionWriter(std::filesystem::path directory, CompressionOptions options)
    : SummaryWriter(std::move(directory), options.writer), options_(std::move(options)) {}

Result<LogReport> CompressionWriter::Log(Result<LogPlan> plan, const ModelComparison& comparison,
                                         std::int64_t step) {
  if (!plan) return Fail(std::move(plan).error());
  LogReport report;
  for (const PlannedValue& planned : plan->values) {
    const std::string tag = TagFor(
        {planned.kind, comparison.model, planned.name, planned.variant, comparison.baseline});
    if (planned.kind == CompressionTagKind::kGroup) {
      CBOARD_RETURN_IF_ERROR(AddScalars(tag, planned.group, step));
      report.tags.insert(report.tags.end(), planned.group.size(), tag);
    } else {
      CBOARD_RETURN_IF_ERROR(AddScalar(tag, planned.value, step, planned.labels));
      report.tags.push_back(tag);
    }
  }
  report.omitted = std::move(plan->omitted);
  return report;
}

Result<LogReport> CompressionWriter::LogCompressionComparison(const ModelComparison& comparison,
                                                              std::int64_t step) {
  return Log(PlanComparison(comparison, options_.tags), comparison, step);
}

Result<LogReport> CompressionWriter::LogCompressionRatios(const ModelComparison& comparison,
                                                          std::int64_t step) {
  return Log(PlanRatios(comparison), comparison, step);
}

Result<LogReport> CompressionWriter::LogEnergyComparison(const ModelComparison& comparison,
                                                         std::int64_t step) {
  return Log(PlanEnergy(comparison, options_.tags), comparison, step);
}

Result<LogReport> CompressionWriter::LogAurora(const ModelComparison& comparison,
                                               std::int64_t step) {
  return Log(PlanAurora(comparison, options_.aurora), comparison, step);
}

Result<LogReport> CompressionWriter::LogLatencyDistribution(const ModelComparison& comparison,
                                                            std::int64_t step) {
  CBOARD_RETURN_IF_ERROR(comparison.Validate());
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
    std::string tag = TagFor({CompressionTagKind::kLatencyDistribution,
                              comparison.model,
                              {},
                              variant.name,
                              comparison.baseline});
    const std::vector<double> edges = LatencyEdges(finite);
    CBOARD_RETURN_IF_ERROR(AddHistogram(tag, finite, step, tensor::BinEdges{edges}));
    report.tags.push_back(std::move(tag));
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
  return LogCompressionComparison(DefaultPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogCompressionRatios(std::string_view model,
                                                          const Metrics& fp32, const Metrics& int8,
                                                          std::int64_t step) {
  return LogCompressionRatios(DefaultPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogEnergyComparison(std::string_view model,
                                                         const Metrics& fp32, const Metrics& int8,
                                                         std::int64_t step) {
  return LogEnergyComparison(DefaultPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogAurora(std::string_view model, const Metrics& fp32,
                                               const Metrics& int8, std::int64_t step) {
  return LogAurora(DefaultPair(model, fp32, int8), step);
}

Result<LogReport> CompressionWriter::LogLatencyDistribution(
    std::string_view model, std::span<const double> fp32_latencies_ms,
    std::span<const double> int8_latencies_ms, std::int64_t step) {
  ModelComparison comparison = DefaultPair(model, {}, {});
  comparison.variants[0].latencies_ms.assign(fp32_latencies_ms.begin(), fp32_latencies_ms.end());
  comparison.variants[1].latencies_ms.assign(int8_latencies_ms.begin(), int8_latencies_ms.end());
  return LogLatencyDistribution(comparison, step);
}

}  // namespace cboard::compression
