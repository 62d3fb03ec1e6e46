// Policies: built-in sets of limits, for users without a contract of their own (gates.h).
//
//   for (const PolicyCheck& check : CheckPolicy(*FindPolicy("balanced"), fp32, int8)) …
//
// A gate without a measurement is missing, and a model with missing gates does not pass
// (model_verdict.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/gates.h"
#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"

namespace cboard::analysis {

enum class LimitKind {
  kMaxLoss,  // Accuracy may fall by at most this fraction of one.
  kMinGain,  // The variant must be at least so many times better.
};

struct PolicyGate {
  std::string_view label;   // drop, ratio, speedup
  std::string_view metric;  // The key that it is about.
  LimitKind kind = LimitKind::kMinGain;
  double limit = 0;
};

struct Policy {
  std::string_view name;
  std::span<const PolicyGate> gates;
};

// balanced, accuracy first, smallest.
std::span<const Policy> Policies();
const Policy* FindPolicy(std::string_view name);  // nullptr if there is none.

// A policy by its name, or by its rules: "drop<=0.5 ratio>=3 speedup>=1.2". A drop is in percentage
// points; ratio (of size), speedup, memory and power say how many times better the variant must be.
// Fails with kInvalidArgument, naming the names or rules that are known.
Result<std::shared_ptr<const Policy>> ReadPolicy(std::string_view text);

struct PolicyCheck {
  const PolicyGate* gate = nullptr;
  GateOutcome outcome = GateOutcome::kMissing;
  std::optional<double> measured = {};  // The fraction lost, or how many times better.
  std::string rule = {};                // "drop ≤ 1 pp"
  std::string text = {};                // "0.27 pp", "3.96×"; empty when missing.

  // "drop 4.20 > 1 pp", "speedup 0.89 < 1.2×": what is said of one that fails.
  std::string failure() const;
};

// One entry per gate. A value of zero or less gives no ratio, and counts as missing.
std::vector<PolicyCheck> CheckPolicy(const Policy& policy, const Metrics& baseline,
                                     const Metrics& variant);

// Accuracy is a fraction, but many log per cent.
inline double AsFraction(double accuracy) { return accuracy > 1.5 ? accuracy / 100 : accuracy; }

}  // namespace cboard::analysis
