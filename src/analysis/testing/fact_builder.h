// Creates facts for the tests of this folder, from names as logs have them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cboard/analysis/comparison_table.h"

namespace cboard::analysis {

struct When {
  std::int64_t step = 0;
  double wall_time_seconds = 1;
};

inline Fact FactOf(const std::string& run, const std::string& tag, double value, When when = {}) {
  const auto meaning = ParseTag({.run = run, .tag = tag});
  if (!meaning) ADD_FAILURE() << run << " " << tag << " means nothing";
  return {
      .meaning = meaning.value_or(ParsedTag{}),
      .value = value,
      .source = {
          .run = run, .tag = tag, .step = when.step, .wall_time_seconds = when.wall_time_seconds}};
}

inline Fact StoredFact(const std::string& run, const std::string& model, const std::string& variant,
                       const std::string& metric, double value) {
  return {.meaning = {.dialect = TagFormat::kStored,
                      .experiment = run,
                      .model = model,
                      .variant = variant,
                      .metric = metric},
          .value = value,
          .source = {.run = run, .tag = model + "/" + metric}};
}

inline Fact StoredRatio(const std::string& run, const std::string& model,
                        const std::string& variant, const std::string& baseline,
                        const std::string& ratio, double value) {
  Fact fact = StoredFact(run, model, variant, ratio, value);
  fact.meaning.kind = FactKind::kRatio;
  fact.meaning.baseline = baseline;
  return fact;
}

}  // namespace cboard::analysis
