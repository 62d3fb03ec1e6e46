// The parts of CompressionWriter that are about a model and how it was made, not about figures.
#include <algorithm>
#include <array>
#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/compression/compression_writer.h"
#include "cboard/compression/names.h"

namespace cboard {
namespace {

// [3, 224, 224]
std::string Listed(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) {
    if (text.size() > 1) text += ", ";
    text += ShortestDecimal(number);
  }
  return text + "]";
}

std::string Shown(const InfoValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return ShortestDecimal(*number);
  return Listed(std::get<std::vector<double>>(value));
}

// display_name -> Display Name
std::string Title(std::string_view key) {
  std::string title(key);
  bool start = true;
  for (char& c : title) {
    if (c == '_') c = ' ';
    if (start && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    start = c == ' ';
  }
  return title;
}

// One fact per line, first the ones every file has, then the others in the order of the file.
std::string MetadataText(std::string_view model, const ModelInfo& info) {
  constexpr std::array<std::string_view, 4> kFirst = {"library", "category", "description",
                                                      "input_shape"};
  std::string text = "Model: " + std::string(model) + "\n";
  const auto append = [&](std::string_view key, const InfoValue& value) {
    text += Title(key) + ": " + Shown(value) + "\n";
  };
  for (const std::string_view key : kFirst) {
    if (const InfoValue* value = FindInfo(info, key)) append(key, *value);
  }
  for (const auto& [key, value] : info) {
    if (std::ranges::find(kFirst, key) == kFirst.end()) append(key, value);
  }
  return text;
}

using Columns = std::vector<std::pair<std::string, double>>;

void AddColumn(std::string name, double value, Columns& columns) {
  if (std::isfinite(value)) columns.emplace_back("hparam/" + std::move(name), value);
}

// The columns of a row. accuracy_fp32 and accuracy_int8 are what older logs call them; the columns
// without a variant in their name are the ones that compare rows of different variants.
Columns ColumnsOf(const Variant& baseline, const Variant& variant, const AuroraOptions& aurora) {
  Columns columns;
  const auto value_of = [](const Variant& of, std::string_view key) {
    const auto found = of.metrics.find(key);
    return found == of.metrics.end() ? std::nan("") : found->second;
  };
  const bool usual = baseline.name == kUsualBaseline && variant.name == kUsualVariant;
  if (usual) {
    AddColumn("accuracy_fp32", value_of(baseline, "accuracy"), columns);
    AddColumn("accuracy_int8", value_of(variant, "accuracy"), columns);
  }
  if (&baseline != &variant) {
    const Ratios ratios = ComputeRatios(baseline.metrics, variant.metrics);
    for (const std::string_view name :
         {"accuracy_drop", "size_ratio", "speedup", "memory_reduction_mb", "energy_reduction_mw"}) {
      const auto found = std::ranges::find(ratios.values, name, &RatioValue::name);
      if (found != ratios.values.end()) AddColumn(std::string(name), found->value, columns);
    }
    if (const auto score = ComputeAurora(baseline.metrics, variant.metrics, aurora)) {
      AddColumn("aurora", score->score, columns);
    }
  }
  for (const std::string_view key : {"accuracy", "latency_mean_ms", "model_size_mb",
                                     "memory_usage_mb", "energy_consumption_mw", "throughput"}) {
    AddColumn(DescribeMetric(key).flat_name, value_of(variant, key), columns);
  }
  return columns;
}

std::vector<std::pair<std::string, HParam>> HParamsOf(const ModelComparison& comparison,
                                                      std::string_view variant,
                                                      const CompressionConfig& config) {
  std::vector<std::pair<std::string, HParam>> hparams = {
      {"model_name", ToValidUtf8(comparison.model)}};
  for (const std::string_view key : {"library", "category"}) {
    const InfoValue* value = FindInfo(comparison.info, key);
    if (value != nullptr) hparams.emplace_back(key, ToValidUtf8(Shown(*value)));
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

Result<void> CompressionWriter::LogMetadataScalar(std::string_view model, std::string_view name,
                                                  double value, std::int64_t step,
                                                  LogReport& report) {
  std::string tag = TagFor({TagKind::kMetadata, model, name, {}, {}});
  CBOARD_RETURN_IF_ERROR(AddScalar(tag, value, step));
  report.tags.push_back(std::move(tag));
  return {};
}

Result<LogReport> CompressionWriter::LogModelMetadata(std::string_view model, const ModelInfo& info,
                                                      std::int64_t step) {
  LogReport report;
  for (const auto& [key, value] : info) {
    if (const auto* number = std::get_if<double>(&value)) {
      CBOARD_RETURN_IF_ERROR(LogMetadataScalar(model, key, *number, step, report));
    } else if (const auto* shape = std::get_if<std::vector<double>>(&value);
               shape != nullptr && key == "input_shape") {
      constexpr std::array<std::string_view, 3> kDimensions = {"input_channels", "input_height",
                                                               "input_width"};
      for (std::size_t i = 0; i < std::min(shape->size(), kDimensions.size()); ++i) {
        CBOARD_RETURN_IF_ERROR(LogMetadataScalar(model, kDimensions[i], (*shape)[i], step, report));
      }
    }
  }
  std::string tag = TagFor({TagKind::kMetadata, model, "info", {}, {}});
  CBOARD_RETURN_IF_ERROR(AddText(tag, ToValidUtf8(MetadataText(model, info)), step));
  report.tags.push_back(std::move(tag));
  return report;
}

Result<LogReport> CompressionWriter::LogCompressionHParams(const ModelComparison& comparison,
                                                           std::string_view variant,
                                                           const CompressionConfig& config,
                                                           std::int64_t step) {
  const Variant* const baseline = comparison.Find(comparison.baseline);
  const Variant* const compressed = comparison.Find(variant);
  if (baseline == nullptr || compressed == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                "model " + Quoted(comparison.model) + " has no variant " +
                    Quoted(baseline == nullptr ? comparison.baseline : variant));
  }
  LogReport report;
  const Columns columns = ColumnsOf(*baseline, *compressed, options_.aurora);
  if (columns.empty()) {
    report.omitted.push_back({"hparams", "no figure of " + Quoted(variant) + " is a column"});
    return report;
  }
  std::string name = DirectoryNameOf(comparison.model);
  if (comparison.baseline != kUsualBaseline || variant != kUsualVariant) {
    name += "/" + DirectoryNameOf(variant);
  }
  CBOARD_RETURN_IF_ERROR(AddHParams(HParamsOf(comparison, variant, config), columns, name, step));
  for (const auto& [column, value] : columns) report.tags.push_back(column);
  return report;
}

}  // namespace cboard
