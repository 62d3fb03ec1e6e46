#include <algorithm>
#include <functional>

#include "cboard/base/strings.h"
#include "cboard/compare/compare_models.h"
#include "cboard/quantize/model_quantizer.h"
#include "quantize/stage_log.h"

namespace cboard::quantize {
namespace {

// Compares the layers of both files like `compare`. A failure becomes a note in the report.
void Explain(const QuantizeOptions& options, QuantizeReport& report) {
  compare::CompareOptions settings;
  settings.data = options.data;
  settings.shapes = options.shapes;
  settings.histograms = !options.logdir.empty();
  if (options.progress) {
    settings.progress = [&](std::size_t done, std::size_t total) {
      return options.progress("comparing", done, total);
    };
  }
  auto comparison = compare::CompareModels(report.model, report.output, settings);
  if (comparison) {
    report.comparison = *std::move(comparison);
  } else {
    report.notes.push_back("layers were not compared: " + comparison.error().message);
  }
}

// Adds a note about float weights that keep the file large.
void NoteFloatWeights(QuantizeReport& report) {
  constexpr double kMinShare = 0.1;
  std::size_t all = 0;
  std::vector<std::pair<std::size_t, std::string>> largest;
  for (const auto& [op_type, bytes] : report.file.float_bytes) {
    all += bytes;
    largest.emplace_back(bytes, op_type);
  }
  const auto size = static_cast<double>(report.file.bytes + report.file.data_bytes);
  if (static_cast<double>(all) < kMinShare * size) return;
  std::ranges::sort(largest, std::greater<>());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(largest.size(), 3); ++i) {
    text += (i == 0 ? "" : ", ") + largest[i].second + " " +
            HumanBytes(static_cast<double>(largest[i].first));
  }
  report.notes.push_back(HumanBytes(static_cast<double>(all)) +
                         " of the file are weights that stay float: " + text);
}

}  // namespace

Result<QuantizeReport> QuantizeFile(const std::filesystem::path& model,
                                    const std::filesystem::path& output,
                                    const QuantizeOptions& options) {
  QuantizeReport report{.model = model, .output = output};
  CBOARD_ASSIGN_OR_RETURN(const auto quantizer, ModelQuantizer::Open(model, options));
  CBOARD_RETURN_IF_ERROR(quantizer->Calibrate());
  CBOARD_ASSIGN_OR_RETURN(PlanChoice choice, ChoosePlan(*quantizer));
  report.plan = std::move(choice.plan);
  report.quality = choice.quality;
  report.tried = std::move(choice.tried);
  report.notes = std::move(choice.notes);
  if (options.precision == Precision::kW8A8) {
    CBOARD_ASSIGN_OR_RETURN(report.unfused, quantizer->FindUnfused(report.plan));
  }
  CBOARD_ASSIGN_OR_RETURN(report.file, quantizer->Save(report.plan, output));
  if (auto verdict = quantizer->MeasureFile(output)) {
    report.verdict = *std::move(verdict);
  } else {
    report.notes.push_back("the outputs were not measured: " + verdict.error().message);
  }
  report.samples = quantizer->statistics().samples;
  report.source = quantizer->statistics().source;
  report.is_generated = quantizer->statistics().is_generated;
  report.notes.insert(report.notes.begin(), quantizer->notes().begin(), quantizer->notes().end());
  const bool has_weight = std::ranges::any_of(
      report.plan.weights, [](const auto& weight) { return !weight.second.is_float; });
  if (!has_weight && options.precision != Precision::kHalf) {
    report.notes.emplace_back(kNothingQuantized);
  } else if (options.precision != Precision::kHalf) {
    NoteFloatWeights(report);
  }
  if (options.explain || !options.logdir.empty()) Explain(options, report);
  if (!options.logdir.empty()) {
    CBOARD_RETURN_IF_ERROR(LogStages(*quantizer, report, options.logdir));
  }
  return report;
}

}  // namespace cboard::quantize
