// Plans the log of a comparison before it is written: the values in order, with the parts of their
// tags and their labels, and the omitted values.
//
//   CBOARD_ASSIGN_OR_RETURN(const LogPlan plan, PlanRatios(comparison));
//   for (const PlannedValue& value : plan.values) …
//
// The writers (CompressionWriter in C++ and in Python) only create the tags and write the values.
// Subclasses of the Python class can therefore override every call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/aurora.h"
#include "cboard/compression/comparison.h"
#include "cboard/compression/tags.h"

namespace cboard::compression {

// Selects the tag schemes that are written. Both schemes contain the same values.
enum class TagScheme {
  kBoth,
  kGroups,  // alexnet/accuracy with a sub-run per variant; TensorBoard overlays them.
  kFlat,    // alexnet/metrics/accuracy/int8 in the run itself.
};

struct PlannedValue {
  CompressionTagKind kind = CompressionTagKind::kMetric;
  std::string name;     // As in TagParts.
  std::string variant;  // Empty for a group.
  double value = 0;
  writer::ScalarLabels labels;
  // For a group of add_scalars: the value of each sub-run, by the name of the sub-run's directory.
  // If this is set, `value` is not used.
  std::map<std::string, double> group;
};

struct LogPlan {
  std::vector<PlannedValue> values;
  std::vector<Omission> omitted;
};

// The following functions fail like ModelComparison::Validate.

// Plans every metric of every variant, except power.
Result<LogPlan> PlanComparison(const ModelComparison& comparison, TagScheme tags);

// Plans the ratios of each variant to the baseline, except for power.
Result<LogPlan> PlanRatios(const ModelComparison& comparison);

// Plans the power of every variant, and its difference and ratio to the baseline.
Result<LogPlan> PlanEnergy(const ModelComparison& comparison, TagScheme tags);

// Plans the AURORA score, the plain mean and the factors of every variant. A variant without a
// score is named in `omitted`.
Result<LogPlan> PlanAurora(const ModelComparison& comparison, const AuroraOptions& options);

}  // namespace cboard::compression
