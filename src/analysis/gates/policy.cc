#include "cboard/analysis/policy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

constexpr PolicyGate MaxLoss(double limit) {
  return {"drop", "accuracy", LimitKind::kMaxLoss, limit};
}
constexpr PolicyGate MinGain(std::string_view label, std::string_view metric, double limit) {
  return {label, metric, LimitKind::kMinGain, limit};
}

constexpr std::array kBalanced = {MaxLoss(0.01), MinGain("ratio", "model_size_mb", 3),
                                  MinGain("speedup", "latency_mean_ms", 1.2),
                                  MinGain("speedup", "throughput", 1.2)};
constexpr std::array kAccuracyFirst = {MaxLoss(0.005)};
constexpr std::array kSmallest = {MaxLoss(0.02), MinGain("ratio", "model_size_mb", 3.9)};
constexpr std::array kPolicies = {Policy{"balanced", kBalanced},
                                  Policy{"accuracy first", kAccuracyFirst},
                                  Policy{"smallest", kSmallest}};

// Values are logged as floats: 0.90 less 0.89 is a hair more than 0.01.
constexpr double kSlack = 2e-7;

std::optional<double> ValueOf(const Metrics& metrics, std::string_view key) {
  const auto found = metrics.find(key);
  if (found == metrics.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

// As many decimals as it takes not to read as the limit itself.
std::string PointsText(double lost, double limit) {
  for (const int decimals : {2, 3, 4}) {
    std::string text = verdict::FixedNumber(lost * 100, decimals);
    if (text != verdict::FixedNumber(limit * 100, decimals) || std::abs(lost - limit) < kSlack)
      return text;
  }
  return verdict::FixedNumber(lost * 100, 6);
}

PolicyCheck Check(const PolicyGate& gate, const Metrics& baseline, const Metrics& variant) {
  const std::optional<double> a = ValueOf(baseline, gate.metric);
  const std::optional<double> b = ValueOf(variant, gate.metric);
  PolicyCheck check{.gate = &gate};
  if (gate.kind == LimitKind::kMaxLoss) {
    check.rule = std::string(gate.label) + " ≤ " + verdict::ShortNumber(gate.limit * 100) + " pp";
    if (!a || !b) return check;
    const double lost = AsFraction(*a) - AsFraction(*b);
    check.measured = lost;
    check.outcome = lost <= gate.limit + kSlack ? GateOutcome::kPass : GateOutcome::kFail;
    check.text = PointsText(lost, gate.limit) + " pp";
    return check;
  }
  check.rule = std::string(gate.label) + " ≥ " + verdict::ShortNumber(gate.limit) + "×";
  if (!a || !b || !(*a > 0) || !(*b > 0)) return check;
  const double gain =
      compression::DescribeMetric(gate.metric).better == compression::Better::kHigher ? *b / *a
                                                                                      : *a / *b;
  check.measured = gain;
  check.outcome = gain >= gate.limit ? GateOutcome::kPass : GateOutcome::kFail;
  check.text = verdict::TimesText(gain);
  return check;
}

}  // namespace

std::string PolicyCheck::failure() const {
  const bool is_drop = gate->kind == LimitKind::kMaxLoss;
  const std::string_view unit = is_drop ? " pp" : "×";  // Said once, with the limit.
  const std::string value = text.ends_with(unit) ? text.substr(0, text.size() - unit.size()) : text;
  return std::string(gate->label) + " " + value + (is_drop ? " > " : " < ") +
         (is_drop ? verdict::ShortNumber(gate->limit * 100) + " pp"
                  : verdict::ShortNumber(gate->limit) + "×");
}

std::span<const Policy> Policies() { return kPolicies; }

const Policy* FindPolicy(std::string_view name) {
  const auto found = std::ranges::find(kPolicies, name, &Policy::name);
  return found == kPolicies.end() ? nullptr : &*found;
}

std::vector<PolicyCheck> CheckPolicy(const Policy& policy, const Metrics& baseline,
                                     const Metrics& variant) {
  std::vector<PolicyCheck> checks;
  for (const PolicyGate& gate : policy.gates) checks.push_back(Check(gate, baseline, variant));
  return checks;
}

}  // namespace cboard::analysis
