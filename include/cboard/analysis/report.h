// A report: what compression cost and whether it passes, as one HTML file that needs nothing else.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string html, WriteReport(snapshot, {.logdir = "runs"}));
//
// The file makes no request and runs no script, follows the reader's light or dark theme, and
// prints on A4. Names from logs are text in it, whatever they contain.
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

// "summary", "gates", "pareto", "models", "aurora", "layers", "tuning", "missing".
std::string_view NameOf(ReportSection section);
std::optional<ReportSection> SectionNamed(std::string_view name);
std::set<ReportSection> AllSections();

struct ReportOptions {
  std::string title = "Compression report";
  std::string logdir = {};   // The log directory that was read, as the report names it.
  std::string version = {};  // Version of the program.
  double made_at_seconds = 0;

  std::string baseline = {};             // Empty: that of the most models.
  std::string variant = {};              // Empty: int8, or the most common other one.
  std::vector<std::string> models = {};  // By their unique names; empty: all that have either.
  std::string policy = "balanced";
  std::optional<Contract> contract = {};  // Checked in addition to the policy.
  std::set<ReportSection> sections = AllSections();
};

// Fails with kNotFound when no model has values of the pair, naming what there is, or when `models`
// names one that is not there; with kInvalidArgument when there is no such policy.
Result<std::string> WriteReport(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                const ReportOptions& options);

}  // namespace cboard::analysis
