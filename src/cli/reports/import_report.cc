#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cboard/base/strings.h"
#include "cboard/compression/aurora.h"
#include "cboard/compression/metrics.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

constexpr std::string_view kSpeedMetric = "latency_mean_ms";

// Formats a value with the same decimals in every row, so that decimal points align. A value that
// would become zero or too long has four digits.
std::string Fixed(double value, int decimals, const char* unit = "") {
  std::array<char, 32> buffer;
  const double size = std::abs(value);
  const bool fits = size < 1e6 && (size == 0 || size >= std::pow(10, -decimals));
  std::snprintf(buffer.data(), buffer.size(), fits ? "%.*f%s" : "%.*g%s", fits ? decimals : 4,
                value, unit);
  return buffer.data();
}

std::string RatioCell(const compression::Ratios& ratios, std::string_view name, int decimals,
                      const char* unit = "") {
  const auto found = std::ranges::find(ratios.values, name, &compression::RatioValue::name);
  return found == ratios.values.end() ? "" : Fixed(found->value, decimals, unit);
}

// Formats a speedup: 2.95x, or 2.95x* if a latency was not measured.
std::string SpeedupCell(const compression::Ratios& ratios, const compression::Variant& baseline,
                        const compression::Variant& variant) {
  const bool derived =
      baseline.derived.contains(kSpeedMetric) || variant.derived.contains(kSpeedMetric);
  return RatioCell(ratios, "speedup", 2, derived ? "x*" : "x");
}

// Returns the cells of a row. A missing value is an empty cell: a dash or a zero could look like a
// result.
std::vector<std::string> RowOf(const cboard::compression::ModelComparison& model,
                               const compression::Variant& baseline,
                               const compression::Variant& variant) {
  const compression::Ratios ratios =
      compression::ComputeRatios(baseline.metrics, variant.metrics, baseline.name, variant.name);
  const Result<compression::AuroraScore> aurora =
      compression::ComputeAurora(baseline.Measured(), variant.Measured());
  return {Shortened(model.model, 48),
          Shortened(variant.name, 24),
          std::to_string(variant.metrics.size()),
          RatioCell(ratios, "size_ratio", 2, "x"),
          SpeedupCell(ratios, baseline, variant),
          RatioCell(ratios, "accuracy_drop", 4),
          aurora ? Fixed(aurora->score, 2) : ""};
}

std::string ModelTable(const compression::BenchmarkFile& file, bool verbose) {
  TextTable table({{"model"},
                   {"variant"},
                   {"metrics", Align::kRight},
                   {"size ratio", Align::kRight},
                   {"speedup", Align::kRight},
                   {"accuracy drop", Align::kRight},
                   {"AURORA", Align::kRight}});
  std::size_t rows = 0, hidden = 0;
  for (const cboard::compression::ModelComparison& model : file.models) {
    const compression::Variant* baseline = model.Find(model.baseline);
    for (const compression::Variant& variant : model.variants) {
      if (&variant == baseline && model.variants.size() > 1) continue;
      if (++rows > kMaxImportRows && !verbose) {
        ++hidden;
      } else {
        table.AddRow(RowOf(model, baseline == nullptr ? variant : *baseline, variant));
      }
    }
  }
  table.DropEmptyColumns();
  std::string text = table.Render(2);
  if (hidden > 0) text += "  … and " + HumanCount(hidden) + " more; --verbose lists them all\n";
  const bool derives =
      std::ranges::any_of(file.models, [](const cboard::compression::ModelComparison& model) {
        return std::ranges::any_of(model.variants, [](const compression::Variant& variant) {
          return variant.derived.contains(kSpeedMetric);
        });
      });
  if (derives) text += "  * derived from other figures, not measured, and in no score\n";
  return text;
}

// Returns true if an existing metric causes the omission, such as a size of 0, because the user
// should check it. A missing metric is normal, and so is a benchmark without a GPU.
bool IsUnexpected(const compression::Omission& omission) {
  return omission.what != "aurora" && omission.what != "gpu_memory_usage_mb" &&
         !omission.reason.ends_with(" is missing");
}

// Formats at most `limit` notes, one line each.
std::string Notes(const std::vector<std::string>& notes, std::size_t limit) {
  std::string text;
  const std::size_t shown = std::min(notes.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) text += "  " + Printable(notes[i]) + "\n";
  if (shown < notes.size()) {
    text += "  … and " + HumanCount(notes.size() - shown) + " more; --verbose lists them all\n";
  }
  return text;
}

std::string Written(const compression::ImportReport& report) {
  if (report.models.empty()) return "nothing was imported";
  std::size_t values = 0;
  for (const compression::ImportedModel& model : report.models) values += model.values;
  std::string text = Plural(report.models.size(), "model") + ", " + Plural(values, "value") +
                     " in " + Quoted(report.directory.native(), 300);
  if (!report.hparams_directory.empty()) {
    text += ", HParams rows in " + Quoted(report.hparams_directory.native(), 300);
  }
  return text;
}

}  // namespace

std::string ImportText(std::string_view path, const compression::BenchmarkFile& file,
                       const compression::ImportReport& report, bool verbose) {
  std::string text = Quoted(path, 300) + ": " + Written(report) + "\n";
  if (!report.models.empty()) text += ModelTable(file, verbose);

  std::vector<std::string> skipped_models, notes, left_out;
  std::size_t unremarkable = 0;
  for (const compression::Omission& skipped : report.skipped) {
    skipped_models.push_back("skipped " + Quoted(skipped.what) + ": " + skipped.reason);
  }
  for (const std::string& warning : report.warnings) notes.push_back("note: " + warning);
  for (const compression::ImportedModel& model : report.models) {
    for (const compression::Omission& omission : model.omitted) {
      if (verbose || IsUnexpected(omission)) {
        left_out.push_back("left out " + Quoted(model.model) + " " + omission.what + ": " +
                           omission.reason);
      } else {
        ++unremarkable;
      }
    }
  }
  text += Notes(skipped_models, verbose ? skipped_models.size() : kMaxImportRows);
  text += Notes(notes, verbose ? notes.size() : kMaxImportNotes);
  text += Notes(left_out, verbose ? left_out.size() : kMaxImportNotes);
  if (unremarkable > 0) {
    text += "  left out because metrics are missing: " +
            (unremarkable == 1 ? "1 ratio, score or metric; --verbose names it\n"
                               : HumanCount(unremarkable) +
                                     " ratios, scores and metrics; --verbose lists them\n");
  }
  return text;
}

std::string LayerImportText(std::string_view path, const compression::LayerReport& report,
                            const std::vector<compression::ImportedLayers>& imported) {
  std::string text =
      Quoted(path, 300) + ": a report about layers (" + std::string(NameOf(report.kind)) + ")\n";
  for (const compression::ImportedLayers& model : imported) {
    text += "  " + Shortened(model.model, 48) + ": " + Plural(model.layers, "layer") + ", " +
            Plural(model.values, "value") + " in " + Quoted(model.run.native(), 300) + "\n";
  }
  std::vector<std::string> notes;
  for (const std::string& warning : report.warnings) notes.push_back("note: " + warning);
  return text + Notes(notes, kMaxImportNotes);
}

}  // namespace cboard::cli
