// Every model, every variant, every metric, from every way of logging: what Overview and Compare
// show.
//
//   const ComparisonTable table = BuildComparisonTable(CollectFacts(*snapshot));
//   for (const TableRow& row : table.rows) Print(row.model, row.variant);
//
// A cell that nobody logged is std::nullopt, which is something else than a logged NaN, and every
// cell that is there knows where it came from.
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

// Where a value stands in the log.
struct Source {
  std::string run = {};
  std::string tag = {};  // Empty: the name of the run's directory says it.
  std::int64_t step = 0;
  double wall_time_seconds = 0;

  friend bool operator==(const Source&, const Source&) = default;
};

// One value and its meaning.
struct Fact {
  ParsedTag meaning = {};
  double value = 0;
  Source source = {};
};

// The last value of every scalar of a run that is about compression, and the accuracy in the name
// of a tuning run. Reads no files. Runs that did not change are the same objects in the next
// snapshot, so that their facts may be kept.
std::vector<Fact> FactsOf(const reader::Run& run);

// The facts of all runs.
std::vector<Fact> CollectFacts(const reader::Snapshot& snapshot);

struct Cell {
  double value = 0;
  TagFormat dialect = TagFormat::kFlat;
  bool derived = false;  // Worked out from other figures, not measured.
  Source source = {};
};

// A ratio or score that was logged, with the baseline it is about.
struct LoggedRatio {
  Cell cell = {};
  std::string baseline = {};  // Empty: the log does not say.
  std::string unit = {};
  compression::Better better = compression::Better::kUnknown;
  AuroraLabel aurora = {};
};

struct TableRow {
  std::string experiment = {};  // Where it was logged; tells models of the same name apart.
  std::string model = {};
  std::string variant = {};
  std::size_t model_index = 0;                                  // In ComparisonTable::models.
  std::vector<std::optional<Cell>> cells = {};                  // One per ComparisonTable::metrics.
  std::map<std::string, LoggedRatio, std::less<>> ratios = {};  // By name: size_ratio, aurora, …
};

// The rows of one model: [first_row, first_row + row_count), the baseline first.
struct TableModel {
  std::string experiment = {};
  std::string model = {};
  std::string baseline = {};  // The variant that others are compared with unless asked otherwise.
  std::size_t first_row = 0;
  std::size_t row_count = 0;
};

struct ComparisonTable {
  std::vector<compression::MetricDescription> metrics = {};  // In the order of the vocabulary.
  std::vector<TableModel> models = {};                       // By experiment, then name.
  std::vector<TableRow> rows = {};

  // The index of a metric, row or model; nothing when there is none.
  std::optional<std::size_t> FindMetric(std::string_view key) const;
  const TableModel* FindModel(std::string_view experiment, std::string_view model) const;
  std::optional<std::size_t> FindRow(std::string_view experiment, std::string_view model,
                                     std::string_view variant) const;

  // All values of one row, by key.
  Metrics MetricsOf(std::size_t row) const;

  // The part of it that was measured. Scores and policies take this one: they would count a derived
  // figure beside what it was made from.
  Metrics MeasuredOf(std::size_t row) const;

  // Whether either row has the metric as a derived figure.
  bool IsDerived(std::string_view metric, std::size_t row, std::size_t baseline_row) const;
};

// Usual names of a baseline, the most common first. Used if the log does not name the baseline.
inline constexpr std::array<std::string_view, 7> kKnownBaselines = {
    "fp32", "float32", "float", "baseline", "original", "bf16", "fp16"};

// Merges facts of all tag formats. Experiments that do not contradict each other share a model,
// and so do runs side by side that each hold one variant; otherwise
// models are told apart by experiment and name. The baseline of a model is
// the one that its ratios name, else the first of kKnownBaselines that it has, else its first
// variant.
//
// Tags alone cannot tell a model with one variant from somebody's training curves
// ("train/metrics/loss/total"), so one that only tags speak of needs two variants, or one with a
// usual name. One that only groups of add_scalars speak of needs a variant whose name is one of
// compression, such as int8, since any program may group its curves. A run called "baseline" needs
// a trial beside it, or an accuracy in its name.
ComparisonTable BuildComparisonTable(std::vector<Fact> facts);

// The tag that would fill an empty cell: alexnet/performance/memory_usage_mb/int8.
std::string MissingTag(const TableRow& row, const compression::MetricDescription& metric);

}  // namespace cboard::analysis
