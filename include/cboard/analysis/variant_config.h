// Finds the settings of a variant (bits, scheme, calibration) in the hyperparameters of its runs,
// and compares the settings of two variants.
//
//   const Config fp32 = FindConfig(snapshot, "digits", "fp32");
//   for (const ConfigLine& line : CompareConfigs(fp32, FindConfig(snapshot, "digits", "int8"))) …
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/proto/plugins.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

using Config = std::map<std::string, proto::HParamValue>;

// Returns the hyperparameters of one run. Plugin data of other plugins and unreadable data are
// skipped; the HParams page reports them.
Config ConfigOf(const reader::Run& run);

// Merges the settings of all runs of a variant: the directories of its trials and stages, runs
// at or below <model>/<variant>, and rows of hyperparameters with matching `model_name` and
// `variant` (or `library` and `category` if these are missing). Later runs override earlier
// ones.
Config FindConfig(const reader::Snapshot& snapshot, std::string_view model,
                  std::string_view variant);

struct ConfigLine {
  std::string name = {};
  std::optional<proto::HParamValue> a = {};
  std::optional<proto::HParamValue> b = {};

  bool differs() const { return a != b; }
  friend bool operator==(const ConfigLine&, const ConfigLine&) = default;
};

// Lists the settings of two variants, those that differ first, then sorted by name.
std::vector<ConfigLine> CompareConfigs(const Config& a, const Config& b);

}  // namespace cboard::analysis
