// Writes a report about the cost of compression and the verdicts. The report is one self-contained
// HTML file.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string html, WriteReport(snapshot, {.logdir = "runs"}));
//
// The file sends no requests and runs no scripts. It follows the reader's light or dark theme and
// prints on A4. Names from logs are escaped.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/gates.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

enum class ReportSection {
  kSummary,
  kGates,
  kPareto,
  kModels,
  kAurora,
  kLayers,
  kTuning,
  kMissing
};

// The name of a report section: "summary", "gates", "pareto", "models", "aurora", "layers",
// "tuning", "missing".
std::string_view NameOf(ReportSection section);
std::optional<ReportSection> SectionNamed(std::string_view name);
std::set<ReportSection> AllSections();

struct ReportOptions {
  std::string title = "Compression report";
  std::string logdir = {};   // Log directory, as the report shows it.
  std::string version = {};  // Version of the program.
  double made_at_seconds = 0;

  std::string baseline = {};  // Empty: the baseline of most models.
  std::string variant = {};   // Empty: int8, or the most common other one.
  // Unique names of the models to report. If it is empty, all models that have the baseline or the
  // variant are reported.
  std::vector<std::string> models = {};
  std::string policy = "balanced";
  std::optional<Contract> contract = {};  // Checked in addition to the policy.
  std::set<ReportSection> sections = AllSections();
};

// Writes the report of a snapshot. Fails with kNotFound if no model has values of the pair, naming
// the variants that exist, or if `models` contains an unknown name; with kInvalidArgument if the
// policy does not exist.
Result<std::string> WriteReport(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                const ReportOptions& options);

}  // namespace cboard::analysis
