// Logs a comparison as TensorBoard events.
#include "cboard/compare/comparison_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/compression/tags.h"
#include "cboard/model/model_graph.h"
#include "cboard/verdict/number_text.h"
#include "cboard/writer/summary_writer.h"
#include "compare/output/channel_log.h"
#include "compare/output/findings_log.h"
#include "compare/output/graph_log.h"
#include "compare/output/log_parts.h"
#include "compare/output/logged_runs.h"
#include "compare/output/verified_log.h"

namespace cboard::compare {
namespace {

std::optional<double> WorstChannelOf(const std::optional<tensor::Comparison>& part) {
  if (!part || !part->worst_channel) return std::nullopt;
  return part->channels[*part->worst_channel].SqnrDb();
}

// The part whose metrics are logged: the one with the lower SQNR, so that they fit the local SQNR.
const std::optional<tensor::Comparison>& WorsePartOf(const LayerComparison& layer) {
  if (!layer.weight) return layer.local;
  if (!layer.local) return layer.weight;
  return layer.local->total.SqnrDb() < layer.weight->total.SqnrDb() ? layer.local : layer.weight;
}

// The local SQNR of a layer: the lowest SQNR of its weights, its bias and the rounding of its
// output.
double OwnSqnr(const LayerComparison& layer) {
  double sqnr = verdict::kLoggedExactDb;
  for (const auto* part : {&layer.weight, &layer.local}) {
    if (*part) sqnr = std::min(sqnr, (*part)->total.SqnrDb());
  }
  if (layer.bias_shift > 0) sqnr = std::min(sqnr, -20 * std::log10(*layer.bias_shift));
  return sqnr;
}

Result<void> LogNumbers(SummaryWriter& writer, const LayerTags& tags,
                        const LayerComparison& found) {
  struct Number {
    const char* metric;
    std::optional<double> value;
  };
  std::vector<Number> numbers = {
      {"sqnr_db", OwnSqnr(found)},
      {"worst_channel_sqnr_db", WorstChannelOf(found.weight)},
      {"worst_channel", found.weight && found.weight->worst_channel
                            ? std::optional<double>(*found.weight->worst_channel)
                            : std::nullopt},
      {"bias_shift", found.bias_shift},
      {"pruned_share", found.pruned_share},
      {"bytes",
       found.variant_bytes > 0 ? std::optional(double(found.variant_bytes)) : std::nullopt}};
  if (const auto& own = WorsePartOf(found)) {
    numbers.push_back({"cosine", own->total.Cosine()});
    numbers.push_back({"mse", own->total.Mse()});
    numbers.push_back({"rmse_steps", own->total.RmseSteps()});
    numbers.push_back({"clip_rate", own->total.ClipRate()});
    numbers.push_back({"mean_shift_sigmas", own->total.MeanShiftSigmas()});
    numbers.push_back({"divergence", own->divergence});
  }
  if (found.local) numbers.push_back({"output_sqnr_db", found.local->total.SqnrDb()});
  if (found.accumulated) {
    numbers.push_back({"accumulated_sqnr_db", found.accumulated->total.SqnrDb()});
  }
  for (Number& number : numbers) {
    // Logs a finite value for a lost signal, so that gates can tell it from a value that was not
    // measured.
    const bool is_lost =
        number.value == -HUGE_VAL && std::string_view(number.metric).ends_with("_db");
    if (is_lost) number.value = -verdict::kLoggedExactDb;
    if (!number.value || !std::isfinite(*number.value)) continue;
    CBOARD_RETURN_IF_ERROR(AddFigure(writer, tags, number.metric, *number.value));
  }
  return {};
}

// Returns the ranking of layers as Markdown, for TensorBoard's text page.
std::string RankingText(const ModelComparison& comparison) {
  std::string text;
  if (!comparison.verdict.sentence.empty()) {
    text += "**" + MarkdownCell(comparison.verdict.sentence) + "**\n\n";
  }
  text += "| level | layer | SQNR dB | cause | |\n|---|---|---|---|---|\n";
  for (const LayerComparison& layer : comparison.layers) {
    text += "| " + std::string(NameOf(layer.diagnosis.level)) + " | " + MarkdownCell(layer.name) +
            " | " + verdict::ShortNumber(OwnSqnr(layer), 3) + " | " +
            std::string(NameOf(layer.diagnosis.cause)) + " | " +
            MarkdownCell(ExplanationOf(layer)) + " |\n";
  }
  return text;
}

// Logs the errors by depth. The step is the index of a layer in the order of execution; layers
// without a compared output are skipped.
Result<void> LogDepth(SummaryWriter& writer, const std::string& model,
                      const ModelComparison& comparison) {
  std::vector<const LayerComparison*> layers = LayersAlongDepth(comparison);
  std::erase_if(layers, [](const LayerComparison* layer) { return !layer->accumulated; });
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto add = [&](const std::string& tag, double value) -> Result<void> {
      if (!std::isfinite(value)) return {};
      return writer.AddScalar(model + tag, value, static_cast<std::int64_t>(i));
    };
    const LayerComparison& layer = *layers[i];
    CBOARD_RETURN_IF_ERROR(add("/similarity/cosine", layer.accumulated->total.Cosine()));
    CBOARD_RETURN_IF_ERROR(add("/depth/accumulated_sqnr_db", layer.accumulated->total.SqnrDb()));
    CBOARD_RETURN_IF_ERROR(add("/depth/own_sqnr_db", OwnSqnr(layer)));
    for (std::size_t s = 0; s < layer.sample_cosines.size(); ++s) {
      CBOARD_RETURN_IF_ERROR(
          add("/similarity/cosine_sample_" + std::to_string(s), layer.sample_cosines[s]));
    }
  }
  return {};
}

Result<void> LogGraph(SummaryWriter& writer, const std::filesystem::path& path,
                      const std::string& version, const model::InputShapes& shapes,
                      const NodeFindings& findings) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph model, model::OpenModel(path, shapes));
  if (model.version() != version) {
    return Fail(
        ErrorCode::kUnavailable,
        Quoted(path.string(), 1000) +
            " was changed after the comparison; compare it again when the file is complete");
  }
  const GraphLog log = BuildGraphLog(model, findings);
  CBOARD_RETURN_IF_ERROR(writer.AddGraph(log.graph_def));
  return writer.AddRunMetadata("Resources", log.resources, 0);
}

// Logs the run of one of the two models, below `place`.
Result<void> LogModel(const ModelComparison& comparison, const std::filesystem::path& place,
                      bool is_variant) {
  NodeFindings findings;  // Only nodes of the variant have results.
  if (is_variant) {
    // A node may have several layers. They are sorted by damage, so the first layer of a node is
    // its worst one.
    for (const LayerComparison& layer : comparison.layers) {
      findings.emplace(VariantNodeOf(layer), &layer);
    }
  }
  const std::string model = comparison.baseline.stem().string();
  const std::string variant = is_variant ? VariantName(comparison) : std::string(kBaselineName);
  const std::filesystem::path run = place / variant;
  const std::filesystem::path& file = is_variant ? comparison.variant : comparison.baseline;
  const std::string& version =
      is_variant ? comparison.variant_version : comparison.baseline_version;
  SummaryWriter writer(run, ReplaceOptions());
  CBOARD_RETURN_IF_ERROR(writer.status());
  CBOARD_RETURN_IF_ERROR(LogOwner(writer, model, variant, file));
  CBOARD_RETURN_IF_ERROR(LogGraph(writer, file, version, comparison.input_shapes, findings));
  if (is_variant) CBOARD_RETURN_IF_ERROR(LogDepth(writer, model, comparison));
  CBOARD_RETURN_IF_ERROR(writer.Close());
  return LogChannels(comparison, run, is_variant);
}

// Logs the model size, the only metric that model files contain. Overview and the report list
// models that have a metric.
Result<void> LogSizes(SummaryWriter& writer, const std::string& model, const std::string& variant,
                      const ModelComparison& comparison) {
  constexpr double kMegabyte = 1e6;
  const compression::MetricDescription size = compression::DescribeMetric("model_size_mb");
  for (const auto& [name, bytes] :
       {std::pair(kBaselineName, comparison.baseline_bytes),
        std::pair(std::string_view(variant), comparison.variant_bytes)}) {
    const std::string tag =
        compression::DefaultTag({.model = model, .name = size.key, .variant = name});
    CBOARD_RETURN_IF_ERROR(writer.AddScalar(tag, static_cast<double>(bytes) / kMegabyte, 0,
                                            LabelsOf(size, model, name)));
  }
  return {};
}

}  // namespace

Result<void> LogComparison(const ModelComparison& comparison,
                           const std::filesystem::path& directory) {
  const std::string variant = VariantName(comparison);
  const std::string model = comparison.baseline.stem().string();
  SummaryWriter writer(directory);
  CBOARD_RETURN_IF_ERROR(writer.status());
  for (const LayerComparison* const each : LayersAlongDepth(comparison)) {
    const LayerComparison& layer = *each;
    const LayerTags before = TagsOf(model, layer.name, kBaselineName, layer.node);
    const LayerTags after = TagsOf(model, layer.name, variant, layer.node);
    CBOARD_RETURN_IF_ERROR(LogNumbers(writer, after, layer));
    for (const auto& [what, both] : {std::pair("weight", &layer.weight_histograms),
                                     std::pair("output", &layer.output_histograms)}) {
      if (!*both) continue;
      CBOARD_RETURN_IF_ERROR(
          AddHistogram(writer, before.For(what), before.label, 0, (*both)->baseline));
      CBOARD_RETURN_IF_ERROR(
          AddHistogram(writer, after.For(what), after.label, 0, (*both)->variant));
    }
    if (layer.baseline_bytes > 0) {
      CBOARD_RETURN_IF_ERROR(
          AddFigure(writer, before, "bytes", static_cast<double>(layer.baseline_bytes)));
    }
  }
  CBOARD_RETURN_IF_ERROR(writer.AddText(model + "/compare", RankingText(comparison), 0));
  CBOARD_RETURN_IF_ERROR(LogSizes(writer, model, variant, comparison));
  CBOARD_RETURN_IF_ERROR(LogFindings(writer, model, variant, comparison));
  CBOARD_RETURN_IF_ERROR(LogVerified(writer, model, variant, comparison));
  CBOARD_RETURN_IF_ERROR(writer.Close());
  const std::filesystem::path place = RunDirectory(directory, model);
  CBOARD_RETURN_IF_ERROR(LogModel(comparison, place, false));
  return LogModel(comparison, place, true);
}

}  // namespace cboard::compare
