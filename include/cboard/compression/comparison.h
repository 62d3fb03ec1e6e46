// A model with its variants and their measured metrics: the input of the log writers.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"

namespace cboard::compression {

struct Variant {
  std::string name;  // fp32, int8, fp16, w4a8, pruned50, …
  Metrics metrics;
  std::vector<double> latencies_ms;  // One per sample; empty if they were not stored.
  // Keys of `metrics` that are derived: computed from other metrics, such as a latency from a
  // throughput. The log marks them as derived. Scores ignore them, because the same measurement
  // would count twice.
  std::set<std::string, std::less<>> derived = {};

  // Returns `metrics` without the derived metrics.
  Metrics Measured() const;
};

// Facts about a model, in the order of the file: {"library", "torchvision"}, {"input_shape", …}.
using InfoValue = std::variant<std::string, double, std::vector<double>>;
using ModelInfo = std::vector<std::pair<std::string, InfoValue>>;

// Returns the value of `key` in the facts about a model; nullptr if there is none.
const InfoValue* FindInfo(const ModelInfo& info, std::string_view key);

// Formats a value: "torchvision", "0.5", "[3, 224, 224]".
std::string ToText(const InfoValue& value);

struct ModelComparison {
  std::string model;
  std::string baseline = std::string(kDefaultBaseline);  // The name of one of the variants.
  std::vector<Variant> variants;
  ModelInfo info;

  // Returns the variant with this name; nullptr if there is none.
  const Variant* Find(std::string_view name) const;

  // Checks the comparison. Fails with kInvalidArgument if the baseline is not one of the variants,
  // or if two variants would get the same tag.
  Result<void> Validate() const;
};

// The values that a call of a Log method logged, and those that it omitted.
struct LogReport {
  std::vector<std::string> tags;  // In the order of the calls; one entry per value.
  std::vector<Omission> omitted;

  void Add(LogReport other);
};

}  // namespace cboard::compression
