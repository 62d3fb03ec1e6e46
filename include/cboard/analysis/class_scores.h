// Compares a metric per class between two variants of a model, to show which classes lost quality.
// A model may lose only half a point in total and all of it in one class.
//
//   for (const ClassScore& one : FindClassScores(snapshot, "resnet18", "fp32", "int8")) …
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/compression/metrics.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct ClassScore {
  std::string metric = {};  // accuracy, recall, iou, …
  std::string name = {};    // Name of the class; may contain slashes.
  std::optional<double> a = {};
  std::optional<double> b = {};  // nullopt if B did not log it.
  compression::Better better = compression::Better::kUnknown;

  // The drop of the metric from A to B: positive if B is worse, negative if B is better, nullopt if
  // one side is missing.
  std::optional<double> Drop() const;
};

// Reads the newest values of the scalars <model>/per_class/<metric>/<class>/<variant>. Sorted by
// metric, then by drop, the largest first; classes that only one variant has come last.
std::vector<ClassScore> FindClassScores(const reader::Snapshot& snapshot, std::string_view model,
                                        std::string_view a, std::string_view b);

}  // namespace cboard::analysis
