// Policies: built-in sets of limits, for users without a contract of their own (gates.h).
//
//   for (const PolicyCheck& check : CheckPolicy(*FindPolicy("balanced"), fp32, int8)) …
//
// A gate whose metric was not measured is missing, and a model with missing gates does not pass
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
  kMaxLoss,  // Accuracy may drop by at most this fraction.
  kMinGain,  // The variant must be better by at least this factor.
};

struct PolicyGate {
  std::string_view label;   // drop, ratio, speedup
  std::string_view metric;  // The key of the metric.
  LimitKind kind = LimitKind::kMinGain;
  double limit = 0;
};

struct Policy {
  std::string_view name;
  std::span<const PolicyGate> gates;
};

// The built-in policies: balanced, accuracy first, smallest.
std::span<const Policy> Policies();
const Policy* FindPolicy(std::string_view name);  // nullptr if there is none.

// Reads a policy by its name, or from rules: "drop<=0.5 ratio>=3 speedup>=1.2". A drop is in
// percentage points; ratio (of size), speedup, memory and power are the minimum factors by which
// the variant must be better. Fails with kInvalidArgument, naming the known names or rules.
Result<std::shared_ptr<const Policy>> ReadPolicy(std::string_view text);

struct PolicyCheck {
  const PolicyGate* gate = nullptr;
  GateOutcome outcome = GateOutcome::kMissing;
  std::optional<double> measured = {};  // The lost fraction, or the factor of improvement.
  std::string rule = {};                // "drop ≤ 1 pp"
  std::string text = {};                // "0.27 pp", "3.96×"; empty when missing.

  // The text for a failing gate: "drop 4.20 > 1 pp", "speedup 0.89 < 1.2×".
  std::string failure() const;
};

// Returns one entry per gate. A metric of zero or less gives no ratio, so its gate is missing.
std::vector<PolicyCheck> CheckPolicy(const Policy& policy, const Metrics& baseline,
                                     const Metrics& variant);

// Converts an accuracy to a fraction, because many programs log percent.
inline double AsFraction(double accuracy) { return accuracy > 1.5 ? accuracy / 100 : accuracy; }

}  // namespace cboard::analysis
