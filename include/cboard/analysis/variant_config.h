// Settings of a variant (bits, scheme, calibration), as far as its runs log them as
// hyperparameters; and the differences between two variants.
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

// The hyperparameters of one run. Plugin data that is none of ours or cannot be read is left out;
// the HParams page reports it.
Config ConfigOf(const reader::Run& run);

// Settings of all runs of a variant: trials and stages by their place; runs at or below
// <model>/<variant>; and rows of hyperparameters that name both as `model_name` and
// `variant` (without these two, `library` and `category`). The last run overrides earlier
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

// Every name of either, those that differ first, otherwise by name.
std::vector<ConfigLine> CompareConfigs(const Config& a, const Config& b);

}  // namespace cboard::analysis
