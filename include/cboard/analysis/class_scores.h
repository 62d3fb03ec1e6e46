// Which classes paid for compression: a metric of each class in two variants of a model. A model
// may lose half a point on the whole and all of it in one class.
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
  std::optional<double> b = {};  // Nothing where a side did not log it.
  compression::Better better = compression::Better::kUnknown;

  // How much worse B is; nothing when a side is missing. Below 0 where it is better.
  std::optional<double> Drop() const;
};

// By the scalars <model>/per_class/<metric>/<class>/<variant>, of each the newest. By metric, then
// the largest drop first; classes that lack a side come last.
std::vector<ClassScore> FindClassScores(const reader::Snapshot& snapshot, std::string_view model,
                                        std::string_view a, std::string_view b);

}  // namespace cboard::analysis
