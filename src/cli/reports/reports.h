// Formats the results of commands as text for people and as JSON for programs, one .cc file per
// command.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"
#include "cboard/analysis/model_verdict.h"
#include "cboard/base/result.h"
#include "cboard/benchmark/benchmark.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/compression/benchmark_import.h"
#include "cboard/compression/benchmark_json.h"
#include "cboard/compression/layer_report.h"
#include "cboard/model/model_graph.h"
#include "cboard/quantize/model_quantizer.h"
#include "cboard/reader/snapshot.h"
#include "cboard/tune/tune.h"

namespace cboard::cli {

// Describes `model`: operators, element types, quantization, and the `top` largest nodes. If the
// format has no nodes, lists the largest tensors.
std::string ModelText(std::string_view name, const model::ModelGraph& model, std::size_t top = 20);

// Returns
// {"path":…,"format":…,"totals":{…},"inputs":[…],"outputs":[…],"nodes":[…],"constants":[…]}. All
// nodes and constants are included; `--top` has no effect. Unknown values are null: sizes of
// dimensions, and multiply-accumulates of nodes with missing shapes.
std::string ModelJson(std::string_view name, const model::ModelGraph& model);

// Formats a number of operations: "1.82 G" for 1'820'000'000; integers below 1000.
std::string HumanWork(std::uint64_t operations);

std::string BenchmarkText(const benchmark::ModelBenchmark& model);

using Verdicts = std::span<const analysis::ContractVerdict>;

// Returns a table of gates, failing ones first, the failing layers, the verdict, and damage in
// `verdicts` that no gate checks. `in_colour` adds colours for terminals.
std::string CheckText(const analysis::Contract& contract, const analysis::ContractResult& result,
                      bool in_colour, Verdicts verdicts = {});

// Returns all results; docs/check.md lists the members. `file` is the contract's path.
std::string CheckJson(std::string_view file, const analysis::Contract& contract,
                      const analysis::ContractResult& result, Verdicts verdicts = {});

struct CompareTextOptions {
  std::size_t top = 10;  // Maximum number of layers to show.
  bool all = false;      // Also heads, explanations of all damaged layers, lint, saturation, bytes.
};

// Returns the verdict; the root causes, each with its measured fixes and the settings for the first
// one; and the worst layers. If no root cause is known, lists layers with causes and fixes.
std::string CompareText(const compare::ModelComparison& comparison,
                        const CompareTextOptions& options = {});

// Returns the outputs of a model by head: verdict, use, agreement, SQNR; empty if there are none.
std::string OutputsText(const compare::EndVerdict& verdict, std::size_t indent = 0);

// Returns a line about the file, a table with a row per variant, and notes about skipped or
// converted values. Lists end after kMaxImportRows or kMaxImportNotes lines unless `verbose`, which
// also lists metrics that the file does not contain.
std::string ImportText(std::string_view path, const compression::BenchmarkFile& file,
                       const compression::ImportReport& report, bool verbose);

// Returns the text for a layer report: a line per model, and the warnings of the report.
std::string LayerImportText(std::string_view path, const compression::LayerReport& report,
                            const std::vector<compression::ImportedLayers>& imported);

inline constexpr std::size_t kMaxImportRows = 40;
inline constexpr std::size_t kMaxImportNotes = 5;

struct InspectFilter {
  std::string run;  // Only runs whose name contains this text.
  std::string tag;  // Only tags that contain this text, and runs that have one.
};

// Checks that the filter selects a run. Fails with kNotFound if no run matches the filter, because
// an empty result after a typing error would look like a log without values.
Result<void> CheckFilter(const reader::Snapshot& snapshot, const InspectFilter& filter);

std::string InspectText(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter = {});

// Returns {"logdir":…,"runs":[{"name":…,"tags":[…],"files":[…],"damage":[…]}],"unreadable":[…]}.
// Values that do not exist are null: the newest wall time of a run without events, the last value
// of a tag that is not a scalar.
std::string InspectJson(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter = {});

// Returns "2026-11-15 20:33:00" in the local time zone; "-" for a time outside the calendar.
std::string LocalTime(double wall_time_seconds);

std::string QuantizeText(const quantize::QuantizeReport& report);

std::string TuneText(const tune::TuneReport& report);

}  // namespace cboard::cli
