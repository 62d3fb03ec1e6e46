// All models of a log, as two variants of each, with the figures that stand above them. Overview
// and Report show the same because both show this.
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

// One model: A and B, whichever of them was logged.
struct ModelSummary {
  std::string name = {};        // Unlike that of any other model.
  std::string model = {};       // As layers name it.
  std::string experiment = {};  // That it is ranked in.
  std::optional<std::size_t> row_a = {};
  std::optional<std::size_t> row_b = {};
  Metrics a = {};
  Metrics b = {};
  std::set<std::string, std::less<>> derived = {};   // Keys of figures that nobody measured.
  std::optional<VariantComparison> comparison = {};  // When both are there.
  std::vector<PolicyCheck> checks = {};
  std::optional<SidePair> sides = {};               // The logged layers of both variants.
  std::shared_ptr<const LayerRanking> layers = {};  // Null without them.
  LayerDamage damage = {};
  ModelVerdict verdict = {};

  bool fails() const { return verdict.state == VerdictState::kFail; }
};

// A figure over all models.
struct Headline {
  std::string name = {};    // "Best speedup"
  std::string figure = {};  // "2.33×"
  std::string unit = {};    // "pp"; empty where the figure says it.
  std::string note = {};    // "12 measured, by latency"
  std::string model = {};   // Model name; empty for numbers over all models.
  double value = 0;
};

// How many models each verdict has.
struct VerdictCounts {
  std::size_t fail = 0;
  std::size_t watch = 0;
  std::size_t pass = 0;
  std::size_t incomplete = 0;
  std::size_t not_checked = 0;
};

struct SummaryOptions {
  std::string a = {};                              // Empty: the usual baseline.
  std::string b = {};                              // Empty: int8, or the most usual other one.
  std::set<std::string, std::less<>> models = {};  // By their unique names; empty: all.
  const Policy* policy = nullptr;                  // Null: balanced.
};

struct Summary {
  std::string a = {};
  std::string b = {};
  const Policy* policy = nullptr;
  std::vector<ModelSummary> models = {};  // Failing ones first, then by what they lost.
  std::vector<compression::MetricDescription> metrics = {};  // Those that any of the models has.
  std::string quality = {};  // The metric of most models; empty without any.
  std::vector<Headline> headlines = {};
  VerdictCounts verdicts = {};
};

// Models that have a value of A or of B. Reads the histograms of their layers.
Summary Summarize(const std::shared_ptr<const reader::Snapshot>& snapshot,
                  const ComparisonTable& table, const SummaryOptions& options = {});

// How much quality a model lost: a fraction of one for accuracies, else in the metric's unit;
// positive is worse.
std::optional<double> LostBy(std::string_view quality, const ModelSummary& model);

// Whether values are shares of one, to be shown in per cent.
bool IsShare(const compression::MetricDescription& metric);

}  // namespace cboard::analysis
