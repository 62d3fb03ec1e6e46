// Summarizes all models of a log as pairs of two variants, with headline figures. The pages
// Overview and Report both show this summary, so they agree.
//
//   const Summary summary = Summarize(snapshot, TableOf(*snapshot), {.policy = "balanced"});
//   for (const Headline& headline : summary.headlines) Print(headline.name, headline.figure);
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/analysis/model_verdict.h"
#include "cboard/analysis/policy.h"
#include "cboard/analysis/variant_comparison.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// One model with its variants A and B. Values that were not logged are missing.
struct ModelSummary {
  std::string name = {};        // Unique among all models.
  std::string model = {};       // Model name in layer tags.
  std::string experiment = {};  // The experiment in which the model is ranked.
  std::optional<std::size_t> row_a = {};
  std::optional<std::size_t> row_b = {};
  Metrics a = {};
  Metrics b = {};
  // Keys of derived metrics: they were computed from other metrics.
  std::set<std::string, std::less<>> derived = {};
  std::optional<VariantComparison> comparison = {};  // Only if both variants were logged.
  std::vector<PolicyCheck> checks = {};
  std::optional<SidePair> sides = {};               // The logged layers of both variants.
  std::shared_ptr<const LayerRanking> layers = {};  // Null if no layers were logged.
  LayerDamage damage = {};
  ModelVerdict verdict = {};

  bool fails() const { return verdict.state == VerdictState::kFail; }
};

// A headline figure over all models.
struct Headline {
  std::string name = {};    // "Best speedup"
  std::string figure = {};  // "2.33×"
  std::string unit = {};    // "pp"; empty if `figure` contains the unit.
  std::string note = {};    // "12 measured, by latency"
  std::string model = {};   // Model name; empty for figures over all models.
  double value = 0;
};

// The number of models for each verdict.
struct VerdictCounts {
  std::size_t fail = 0;
  std::size_t watch = 0;
  std::size_t pass = 0;
  std::size_t incomplete = 0;
  std::size_t not_checked = 0;
};

struct SummaryOptions {
  std::string a = {};                              // Empty: the default baseline.
  std::string b = {};                              // Empty: int8, or the most common other variant.
  std::set<std::string, std::less<>> models = {};  // Unique names; empty selects all models.
  const Policy* policy = nullptr;                  // Null selects the policy "balanced".
  // Weights of AURORA. Without them, a logged score is used, or the default weights.
  std::optional<compression::AuroraOptions> aurora = {};
};

struct Summary {
  std::string a = {};
  std::string b = {};
  const Policy* policy = nullptr;
  std::vector<ModelSummary> models = {};  // Failing models first, then by lost quality.
  std::vector<compression::MetricDescription> metrics = {};  // Metrics that at least one model has.
  std::string quality = {};  // Quality metric that most models have; empty if there is none.
  std::vector<Headline> headlines = {};
  VerdictCounts verdicts = {};
};

// Summarizes the models that have values of A or B. Reads the histograms of their layers.
Summary Summarize(const std::shared_ptr<const reader::Snapshot>& snapshot,
                  const ComparisonTable& table, const SummaryOptions& options = {});

// The quality that a model lost: a fraction for accuracies, otherwise in the metric's unit.
// Positive is worse.
std::optional<double> LostBy(std::string_view quality, const ModelSummary& model);

// True if the values of the metric are fractions. They are shown in percent.
bool IsShare(const compression::MetricDescription& metric);

}  // namespace cboard::analysis
