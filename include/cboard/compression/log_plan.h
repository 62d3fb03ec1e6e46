// The plan of a comparison's log, before anything is written: values in order, with the parts of
// their tags and their labels, and the omissions.
//
//   CBOARD_ASSIGN_OR_RETURN(const LogPlan plan, PlanRatios(comparison));
//   for (const PlannedValue& value : plan.values) …
//
// Writers only name the tags and write. CompressionWriter is one; Python's is another, so that
// classes derived from it see every call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/aurora.h"
#include "cboard/compression/comparison.h"
#include "cboard/compression/tags.h"

namespace cboard::compression {

// Which of the two tag schemes are written. Both say the same.
enum class TagScheme {
  kBoth,
  kGroups,  // alexnet/accuracy with a sub-run per variant, so that stock TensorBoard overlays them.
  kFlat,    // alexnet/metrics/accuracy/int8 in the run itself.
};

struct PlannedValue {
  CompressionTagKind kind = CompressionTagKind::kMetric;
  std::string name;     // As in TagParts.
  std::string variant;  // Empty for a group.
  double value = 0;
  writer::ScalarLabels labels;
  // For a group, instead of `value`: one value per sub-run, by the name of its directory.
  std::map<std::string, double> group;
};

struct LogPlan {
  std::vector<PlannedValue> values;
  std::vector<Omission> omitted;
};

// All fail as ModelComparison::Validate does.

// Every metric of every variant, except power.
Result<LogPlan> PlanComparison(const ModelComparison& comparison, TagScheme tags);

// Plans gains and losses of each variant against the baseline, except for power.
Result<LogPlan> PlanRatios(const ModelComparison& comparison);

// The power of every variant, its difference and its ratio to the baseline.
Result<LogPlan> PlanEnergy(const ModelComparison& comparison, TagScheme tags);

// The score, the plain mean and the factors of every variant. A variant that cannot be scored is
// named in `omitted`.
Result<LogPlan> PlanAurora(const ModelComparison& comparison, const AuroraOptions& options);

}  // namespace cboard::compression
