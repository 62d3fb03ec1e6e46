// A table of all logged models, variants and metrics, from all tag formats. The Overview and
// Compare pages show it.
//
//   const ComparisonTable table = BuildComparisonTable(CollectFacts(*snapshot));
//   for (const TableRow& row : table.rows) Print(row.model, row.variant);
//
// A metric that nobody logged is std::nullopt, which differs from a logged NaN. Every cell that has
// a value also has its source in the log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/parsed_tag.h"
#include "cboard/compression/metrics.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// The place in the log that a value was read from.
struct Source {
  std::string run = {};
  std::string tag = {};  // Empty if the value comes from the name of the run's directory.
  std::int64_t step = 0;
  double wall_time_seconds = 0;

  friend bool operator==(const Source&, const Source&) = default;
};

// One logged value with its model, variant and metric.
struct Fact {
  ParsedTag meaning = {};
  double value = 0;
  Source source = {};
};

// Returns the last value of each scalar about compression in one run, and the accuracy in the name
// of a tuning run. Reads no files. The result may be cached with the run, because an unchanged run
// is the same object in the next snapshot.
std::vector<Fact> FactsOf(const reader::Run& run);

// Returns the facts of all runs of a snapshot.
std::vector<Fact> CollectFacts(const reader::Snapshot& snapshot);

struct Cell {
  double value = 0;
  TagFormat dialect = TagFormat::kFlat;
  bool derived = false;  // Computed from other metrics, not measured.
  Source source = {};
};

// A ratio or score that was logged, with the baseline that it compares with.
struct LoggedRatio {
  Cell cell = {};
  std::string baseline = {};  // Empty if the log does not name it.
  std::string unit = {};
  compression::Better better = compression::Better::kUnknown;
  AuroraLabel aurora = {};
};

struct TableRow {
  std::string experiment = {};  // Where it was logged; tells models of the same name apart.
  std::string model = {};
  std::string variant = {};
  std::size_t model_index = 0;  // Index in ComparisonTable::models.
  // The values of the row: one cell per metric in ComparisonTable::metrics.
  std::vector<std::optional<Cell>> cells = {};
  std::map<std::string, LoggedRatio, std::less<>> ratios = {};  // By name: size_ratio, aurora, …
};

// The rows of one model: [first_row, first_row + row_count). The baseline's row is the first.
struct TableModel {
  std::string experiment = {};
  std::string model = {};
  std::string baseline = {};  // The default variant to compare with.
  std::size_t first_row = 0;
  std::size_t row_count = 0;
};

struct ComparisonTable {
  // The metrics of the table, in the order of the metric vocabulary.
  std::vector<compression::MetricDescription> metrics = {};
  std::vector<TableModel> models = {};  // By experiment, then name.
  std::vector<TableRow> rows = {};

  // The index of a metric, row or model; nullopt if it does not exist.
  std::optional<std::size_t> FindMetric(std::string_view key) const;
  const TableModel* FindModel(std::string_view experiment, std::string_view model) const;
  std::optional<std::size_t> FindRow(std::string_view experiment, std::string_view model,
                                     std::string_view variant) const;

  // Returns all values of one row, by metric key.
  Metrics MetricsOf(std::size_t row) const;

  // The measured values of one row, without derived metrics. Scores and policies use them, because
  // a derived metric and the metrics from which it was computed would count the same measurement
  // twice.
  Metrics MeasuredOf(std::size_t row) const;

  // True if the metric is derived in at least one of the two rows.
  bool IsDerived(std::string_view metric, std::size_t row, std::size_t baseline_row) const;
};

// Common names of a baseline, the most common first. Used if the log does not name the baseline.
inline constexpr std::array<std::string_view, 7> kKnownBaselines = {
    "fp32", "float32", "float", "baseline", "original", "bf16", "fp16"};

// Merges the facts of all tag formats into one table. Experiments whose values do not contradict
// each other share a model, and so do neighbouring runs that hold one variant each. Other models
// are distinguished by experiment and name. The baseline of a model is the variant that its logged
// ratios name, otherwise the first of kKnownBaselines that it has, otherwise its first variant.
//
// A tag such as "train/metrics/loss/total" may be a model with one variant or an ordinary training
// curve. Therefore a model whose name appears only in tags needs two variants, or one variant with
// a known name. A model whose name appears only in groups of add_scalars needs a variant named
// after a compression, such as int8, because any program may group its curves. A run called
// "baseline" is a trial only if other trials are next to it or its name contains an accuracy.
ComparisonTable BuildComparisonTable(std::vector<Fact> facts);

// Returns the tag that would fill an empty cell, for example
// alexnet/performance/memory_usage_mb/int8.
std::string MissingTag(const TableRow& row, const compression::MetricDescription& metric);

}  // namespace cboard::analysis
