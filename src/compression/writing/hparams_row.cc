#include "compression/writing/hparams_row.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "writer/summary/hparams.h"

namespace cboard::compression {
namespace {

using Columns = std::vector<std::pair<std::string, double>>;

void AddColumn(std::string name, double value, Columns& columns) {
  if (std::isfinite(value)) columns.emplace_back("hparam/" + std::move(name), value);
}

// Returns the columns of a row. accuracy_fp32 and accuracy_int8 are names of older logs; columns
// without a variant in their name make rows of different variants comparable. Only measured metrics
// are included, because a column cannot show which of its values are derived.
Columns ColumnsOf(const Variant& baseline, const Variant& variant, const AuroraOptions& aurora) {
  Columns columns;
  const Metrics from = baseline.Measured(), to = variant.Measured();
  const auto value_of = [](const Metrics& of, std::string_view key) {
    const auto found = of.find(key);
    return found == of.end() ? std::nan("") : found->second;
  };
  const bool usual = baseline.name == kDefaultBaseline && variant.name == kDefaultVariant;
  if (usual) {
    AddColumn("accuracy_fp32", value_of(from, "accuracy"), columns);
    AddColumn("accuracy_int8", value_of(to, "accuracy"), columns);
  }
  if (&baseline != &variant) {
    const Ratios ratios = ComputeRatios(from, to);
    for (const std::string_view name :
         {"accuracy_drop", "size_ratio", "speedup", "memory_reduction_mb", "energy_reduction_mw"}) {
      const auto found = std::ranges::find(ratios.values, name, &RatioValue::name);
      if (found != ratios.values.end()) AddColumn(std::string(name), found->value, columns);
    }
    if (const auto score = ComputeAurora(from, to, aurora)) {
      AddColumn("aurora", score->score, columns);
    }
  }
  for (const std::string_view key : {"accuracy", "latency_mean_ms", "model_size_mb",
                                     "memory_usage_mb", "energy_consumption_mw", "throughput"}) {
    AddColumn(DescribeMetric(key).flat_name, value_of(to, key), columns);
  }
  return columns;
}

std::vector<std::pair<std::string, writer::HParam>> HParamsOf(const ModelComparison& comparison,
                                                              std::string_view variant,
                                                              const CompressionConfig& config) {
  std::vector<std::pair<std::string, writer::HParam>> hparams = {
      {"model_name", ToValidUtf8(comparison.model)}};
  for (const std::string_view key : {"library", "category"}) {
    const InfoValue* value = FindInfo(comparison.info, key);
    if (value != nullptr) hparams.emplace_back(key, ToValidUtf8(ToText(*value)));
  }
  hparams.emplace_back("variant", ToValidUtf8(variant));
  const auto add = [&](std::string_view name, const auto& value) {
    if (value) hparams.emplace_back(name, static_cast<double>(*value));
  };
  const auto add_text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) hparams.emplace_back(name, value);
  };
  add("weight_bits", config.weight_bits);
  add("activation_bits", config.activation_bits);
  add_text("scheme", config.scheme);
  add_text("granularity", config.granularity);
  add_text("calibration", config.calibration);
  add("pruning_ratio", config.pruning_ratio);
  add("early_stopping_patience", config.early_stopping_patience);
  add("early_stopping_min_delta", config.early_stopping_min_delta);
  hparams.insert(hparams.end(), config.others.begin(), config.others.end());
  return hparams;
}

}  // namespace

Result<LogReport> WriteHParamsRow(const std::filesystem::path& directory,
                                  const ModelComparison& comparison, std::string_view variant,
                                  const CompressionConfig& config,
                                  const CompressionOptions& options, std::int64_t step) {
  const Variant* const baseline = comparison.Find(comparison.baseline);
  const Variant* const compressed = comparison.Find(variant);
  if (baseline == nullptr || compressed == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                "model " + Quoted(comparison.model) + " lacks the variant " +
                    Quoted(baseline == nullptr ? comparison.baseline : variant));
  }
  LogReport report;
  const Columns columns = ColumnsOf(*baseline, *compressed, options.aurora);
  if (columns.empty()) {
    report.omitted.push_back({"hparams", "no figure of " + Quoted(variant) + " is a column"});
    return report;
  }
  CBOARD_ASSIGN_OR_RETURN(
      const writer::summary::HParamsSummaries summaries,
      writer::summary::MakeHParamsSummaries(HParamsOf(comparison, variant, config), columns));

  std::filesystem::path run = directory / DirectoryNameOf(comparison.model);
  if (comparison.baseline != kDefaultBaseline || variant != kDefaultVariant) {
    run /= DirectoryNameOf(variant);
  }
  SummaryWriter row(run, options.writer);
  CBOARD_RETURN_IF_ERROR(row.status());
  CBOARD_RETURN_IF_ERROR(row.AddSummary(summaries.session_start));
  CBOARD_RETURN_IF_ERROR(row.AddSummary(summaries.session_end));
  for (const auto& [column, value] : columns) {
    CBOARD_RETURN_IF_ERROR(row.AddScalar(column, value, step));
    report.tags.push_back(column);
  }
  CBOARD_RETURN_IF_ERROR(row.Close());
  return report;
}

}  // namespace cboard::compression
