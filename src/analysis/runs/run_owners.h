// Finds the owner of a run from its place: a trial of tuning or a stage of quantization.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

struct RunOwner {
  std::string model;
  std::string variant;  // baseline, tune_1, or the name of a stage.
};

using RunOwners = std::map<std::string, RunOwner, std::less<>>;

// By run.
RunOwners FindRunOwners(const reader::Snapshot& snapshot);

// nullptr if the run has no owner; "tune_1/." is the same as "tune_1".
const RunOwner* OwnerOf(const RunOwners& owners, std::string_view run);

}  // namespace cboard::analysis
