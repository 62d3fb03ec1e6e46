// Writes the sections about the worst layers of every model that logged layers, and about the
// trials of a tuning.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/report/report_sections.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/analysis/parsed_tag.h"
#include "cboard/analysis/tuning.h"
#include "cboard/analysis/verified_runs.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

constexpr std::size_t kMaxLayers = 10;  // Per model.
constexpr std::size_t kMaxModels = 30;  // Maximum number of models whose layers are listed.

struct RankedModel {
  LayerRanking ranking;
  std::optional<VerifiedRuns> verified;
};

// Ranks layers in the order of the Layers page: failing layers first, then by the shown metric.
std::optional<RankedModel> RankingOf(const ReportData& data, const ReportModel& model) {
  const reader::Run* const run_b =
      model.sides ? data.snapshot->FindRun(model.sides->b.run) : nullptr;
  if (!model.layers || run_b == nullptr) return std::nullopt;
  LayerRanking ranking = *model.layers;
  std::ranges::stable_sort(ranking.layers, {}, [](const RankedLayer& layer) {
    return std::pair(
        -static_cast<int>(layer.diagnosis.level),
        layer.level_metric ? layer.level_metric->db : std::numeric_limits<double>::infinity());
  });
  return RankedModel{.ranking = std::move(ranking),
                     .verified = ReadVerifiedRuns(*run_b, FindingsOf(model.sides->b))};
}

// Formats a logged value with the same decimals in every row, so that decimal points
// align.
std::string LoggedText(const RankedLayer& layer, std::string_view metric,
                       std::string (*text)(double)) {
  const auto found = layer.logged.find(metric);
  return found == layer.logged.end() ? "–" : text(found->second);
}

std::string CosineText(double cosine) { return verdict::FixedNumber(cosine, 4); }

// Formats the metric that decides a layer's level, with its name if it is not the layer's SQNR.
std::string LevelMetricText(const RankedLayer& layer) {
  if (!layer.level_metric) return "–";
  const LevelMetric& metric = *layer.level_metric;
  const std::string text = (metric.is_bound ? "≤ " : "") + verdict::DbText(metric.db);
  if (metric.by == "worst_channel_sqnr_db") return text + " (worst channel)";
  if (metric.by == "weighted_sqnr_db") return text + " (weighted)";
  if (metric.by == "accumulated_sqnr_db") return text + " (accumulated)";
  return text;
}

std::string_view VerdictOf(Level level) {
  switch (level) {
    case Level::kRed:
      return "fails";
    case Level::kAmber:
      return "to watch";
    case Level::kGreen:
      return "good";
    case Level::kUnmeasured:
      break;
  }
  return "not measured";
}

std::string_view ClassOf(Level level) {
  switch (level) {
    case Level::kRed:
      return "bad";
    case Level::kAmber:
      return "warn";
    case Level::kGreen:
      return "good";
    case Level::kUnmeasured:
      break;
  }
  return "dim";
}

void WriteRanking(HtmlWriter& html, const std::string& name, const RankedModel& model) {
  const LayerRanking& ranking = model.ranking;
  const bool has_gains = model.verified && !model.verified->runs.empty();
  std::vector<std::optional<double>> gains;
  if (has_gains) gains = GainsAlone(*model.verified, ranking.layers);
  html.Element("h3", name);
  html.Raw("<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>Layer</th><th>Verdict</th>");
  html.Raw("<th class=\"num\">SQNR of the level, dB</th><th class=\"num\">Worst channel, dB</th>");
  html.Raw("<th class=\"num\">Cosine</th>");
  if (has_gains) html.Raw("<th class=\"num\">Restored alone, dB</th>");
  html.Raw("<th>Cause</th></tr></thead><tbody>");
  const std::size_t shown = std::min(kMaxLayers, ranking.layers.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RankedLayer& layer = ranking.layers[i];
    html.Raw("<tr>").Element("td", TitleOf(layer.baseline), "name").Raw("<td>");
    html.Element("span", VerdictOf(layer.diagnosis.level), ClassOf(layer.diagnosis.level));
    html.Raw("</td>").Element("td", LevelMetricText(layer), "num");
    html.Element("td", LoggedText(layer, "worst_channel_sqnr_db", verdict::DbText), "num");
    html.Element("td", LoggedText(layer, "cosine", CosineText), "num");
    if (has_gains) html.Element("td", gains[i] ? verdict::GainText(*gains[i]) : "–", "num");
    html.Element("td", layer.diagnosis.explanation).Raw("</tr>");
  }
  html.Raw("</tbody></table></div>");
  if (ranking.layers.size() > shown) {
    html.Element(
        "p",
        "The worst " + HumanCount(shown) + " of " + HumanCount(ranking.layers.size()) + " layers.",
        "note");
  }
  if (model.verified) WriteVerified(html, *model.verified);
}

}  // namespace

void WriteLayers(HtmlWriter& html, const ReportData& data) {
  std::size_t written = 0;
  for (const ReportModel& model : data.models) {
    if (written == kMaxModels) break;
    const std::optional<RankedModel> ranked = RankingOf(data, model);
    const bool has_layers = ranked && !ranked->ranking.layers.empty();
    if (!has_layers && model.damage.not_measured.empty()) continue;
    if (written++ == 0) html.Raw("<section class=\"long\"><h2>Layers, worst first</h2>");
    if (has_layers) {
      WriteRanking(html, model.name, *ranked);
    } else {
      html.Element("h3", model.name).Element("p", model.damage.not_measured, "note");
    }
  }
  if (written > 0) html.Raw("</section>");
}

void WriteTuning(HtmlWriter& html, const ReportData& data) {
  bool any = false;
  for (const TuningTimeline& timeline : FindTuning(*data.snapshot)) {
    // The report's pair of variants does not apply to trials, because each trial is a variant.
    if (!data.chosen.empty() && !data.chosen.contains(timeline.model)) continue;
    if (!any) html.Raw("<section class=\"long\"><h2>Tuning</h2>");
    any = true;
    html.Element("h3", timeline.model);
    html.Raw("<table><thead><tr><th>Trial</th><th class=\"num\">Accuracy</th>");
    html.Raw("<th class=\"num\">To the baseline, pp</th><th></th></tr></thead><tbody>");
    for (std::size_t i = 0; i < timeline.trials.size(); ++i) {
      const Trial& trial = timeline.trials[i];
      html.Raw("<tr>").Element("td", compression::VariantOfTrial(trial.number));
      html.Element("td", trial.accuracy ? verdict::FixedNumber(*trial.accuracy, 4) : "–", "num");
      html.Element("td", trial.change ? verdict::FixedNumber(*trial.change * 100, 2) : "–", "num");
      html.Element("td", timeline.best == i ? "best" : "").Raw("</tr>");
    }
    html.Raw("</tbody></table>");
  }
  if (any) html.Raw("</section>");
}

}  // namespace cboard::analysis
