// Results of commands as text for people and as JSON for programs, one .cc file per command.
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

// Describes `model`: operators, element types, quantization, and the `top` largest nodes, or
// tensors if the format has no nodes.
std::string ModelText(std::string_view name, const model::ModelGraph& model, std::size_t top = 20);

// {"path":…,"format":…,"totals":{…},"inputs":[…],"outputs":[…],"nodes":[…],"constants":[…]}
// Complete for any `--top`. Unknown values are null: sizes of dimensions, the
// multiply-accumulates of nodes whose shapes are missing.
std::string ModelJson(std::string_view name, const model::ModelGraph& model);

// 1'820'000'000 -> "1.82 G"; whole numbers below 1000.
std::string HumanWork(std::uint64_t operations);

std::string BenchmarkText(const benchmark::ModelBenchmark& model);

using Verdicts = std::span<const analysis::ContractVerdict>;

// A table, what did not pass first, the layers that break gates, the verdict, and what `verdicts`
// know of damage that no gate is about. `in_colour` for terminals.
std::string CheckText(const analysis::Contract& contract, const analysis::ContractResult& result,
                      bool in_colour, Verdicts verdicts = {});

// Everything; docs/check.md has the members. `file` is the contract's.
std::string CheckJson(std::string_view file, const analysis::Contract& contract,
                      const analysis::ContractResult& result, Verdicts verdicts = {});

struct CompareTextOptions {
  std::size_t top = 10;  // Layers to show.
  bool all = false;      // Heads, explanations of all damaged layers, lint, saturation, bytes.
};

// The verdict; the root causes, each with its fixes as measured and the settings to apply the first
// one; the worst layers. Where no root cause is known, layers with their causes and fixes.
std::string CompareText(const compare::ModelComparison& comparison,
                        const CompareTextOptions& options = {});

// A line about the file, a table with a row per variant, and what was skipped, read differently or
// left out. Lists are cut after kMaxImportRows or kMaxImportNotes lines unless `verbose`, which
// also lists what is left out only because the file has no figures for it.
std::string ImportText(std::string_view path, const compression::BenchmarkFile& file,
                       const compression::ImportReport& report, bool verbose);

// The same of a report about layers: a line per model, and its warnings.
std::string LayerImportText(std::string_view path, const compression::LayerReport& report,
                            const std::vector<compression::ImportedLayers>& imported);

inline constexpr std::size_t kMaxImportRows = 40;
inline constexpr std::size_t kMaxImportNotes = 5;

struct InspectFilter {
  std::string run;  // Only runs whose name contains it.
  std::string tag;  // Only tags that contain it, and runs that have one.
};

// Fails with kNotFound when there is no such run, so that nobody takes a typing error for a log
// without values.
Result<void> CheckFilter(const reader::Snapshot& snapshot, const InspectFilter& filter);

std::string InspectText(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter = {});

// {"logdir":…,"runs":[{"name":…,"tags":[…],"files":[…],"damage":[…]}],"unreadable":[…]}
// A value that was not measured is null: the newest wall time of a run without events, the last
// value of anything but scalars.
std::string InspectJson(std::string_view logdir, const reader::Snapshot& snapshot,
                        const InspectFilter& filter = {});

// "2026-11-15 20:33:00" in the local time zone; "-" for a time that no calendar holds.
std::string LocalTime(double wall_time_seconds);

std::string QuantizeText(const quantize::QuantizeReport& report);

std::string TuneText(const tune::TuneReport& report);

}  // namespace cboard::cli
