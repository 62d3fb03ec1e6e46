// A model and its variants, with what was measured of each: what a comparison is logged from.
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
  std::vector<double> latencies_ms;  // One per sample, when they were kept.
  // Which of `metrics` were worked out from others, such as a latency from a throughput. They are
  // logged with a mark, and no score counts them beside what they were made from.
  std::set<std::string, std::less<>> derived = {};

  // `metrics` without those.
  Metrics Measured() const;
};

// Facts about a model, in the order of the file: {"library", "torchvision"}, {"input_shape", …}.
using InfoValue = std::variant<std::string, double, std::vector<double>>;
using ModelInfo = std::vector<std::pair<std::string, InfoValue>>;

// nullptr when there is none.
const InfoValue* FindInfo(const ModelInfo& info, std::string_view key);

// "torchvision", "0.5", "[3, 224, 224]".
std::string ToText(const InfoValue& value);

struct ModelComparison {
  std::string model;
  std::string baseline = std::string(kDefaultBaseline);  // The name of one of the variants.
  std::vector<Variant> variants;
  ModelInfo info;

  // nullptr when there is none.
  const Variant* Find(std::string_view name) const;

  // Fails with kInvalidArgument when the baseline is none of the variants, or two of them would
  // share a tag.
  Result<void> Validate() const;
};

// Values that one call has logged and omitted.
struct LogReport {
  std::vector<std::string> tags;  // In the order of the calls; one entry per value.
  std::vector<Omission> omitted;

  void Add(LogReport other);
};

}  // namespace cboard::compression
