#include "cboard/analysis/policy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cboard/base/strings.h"
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

// Tolerance for rounding. Values are logged as floats: 0.90 - 0.89 is slightly more than 0.01.
constexpr double kSlack = 2e-7;

std::optional<double> ValueOf(const Metrics& metrics, std::string_view key) {
  const auto found = metrics.find(key);
  if (found == metrics.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

// Formats a loss with enough decimals to distinguish it from the limit.
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

// A policy that was parsed from rules. Owns the name and the gates to which the policy refers.
struct PolicyOfRules {
  std::string name = {};
  std::vector<PolicyGate> gates = {};
  Policy policy = {};
};

constexpr std::array kRules = {MaxLoss(0),
                               MinGain("ratio", "model_size_mb", 0),
                               MinGain("speedup", "latency_mean_ms", 0),
                               MinGain("speedup", "throughput", 0),
                               MinGain("memory", "memory_usage_mb", 0),
                               MinGain("power", "energy_consumption_mw", 0)};
constexpr std::size_t kMaxRules = 16;

Error BadRule(std::string_view rule) {
  return {ErrorCode::kInvalidArgument,
          "cannot read the rule " + Quoted(rule) +
              "; rules are drop<=PERCENTAGE_POINTS, ratio>=TIMES, speedup>=TIMES, memory>=TIMES "
              "and power>=TIMES"};
}

// Adds the gates of a rule such as "speedup>=1.2".
Result<void> AddRule(std::string_view rule, std::vector<PolicyGate>& gates) {
  const std::size_t at = rule.find_first_of("<>");
  if (at == std::string_view::npos || rule.substr(at + 1, 1) != "=") return Fail(BadRule(rule));
  const std::string_view label = rule.substr(0, at);
  const std::string_view number = rule.substr(at + 2);
  double limit = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
  const bool is_whole = error == std::errc() && end == number.data() + number.size();
  if (!is_whole || !(limit >= 0 && limit <= 1e6)) return Fail(BadRule(rule));
  const std::size_t before = gates.size();
  for (PolicyGate gate : kRules) {
    if (gate.label != label || (gate.kind == LimitKind::kMaxLoss) != (rule[at] == '<')) continue;
    gate.limit = gate.kind == LimitKind::kMaxLoss ? limit / 100 : limit;
    gates.push_back(gate);
  }
  if (gates.size() == before) return Fail(BadRule(rule));
  return {};
}

}  // namespace

std::string PolicyCheck::failure() const {
  const bool is_drop = gate->kind == LimitKind::kMaxLoss;
  // Writes the unit only once, after the limit: "drop 4.20 > 1 pp".
  const std::string_view unit = is_drop ? " pp" : "×";
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

Result<std::shared_ptr<const Policy>> ReadPolicy(std::string_view text) {
  if (const Policy* const known = FindPolicy(text)) {
    return std::shared_ptr<const Policy>(std::shared_ptr<void>(), known);
  }
  if (text.find_first_of("<>") == std::string_view::npos) {
    std::string names;
    for (const Policy& policy : kPolicies) {
      names += (names.empty() ? "" : ", ") + std::string(policy.name);
    }
    return Fail(ErrorCode::kInvalidArgument, "unknown policy " + Quoted(text) +
                                                 "; expected one of " + names +
                                                 ", or give rules such as drop<=0.5 ratio>=3");
  }
  const auto own = std::make_shared<PolicyOfRules>(PolicyOfRules{.name = std::string(text)});
  std::string_view rest = own->name;
  for (std::size_t count = 0; !rest.empty(); ++count) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0 && count >= kMaxRules) {
      return Fail(ErrorCode::kInvalidArgument, "the policy has too many rules; give at most " +
                                                   std::to_string(kMaxRules) + " rules");
    }
    if (end > 0) CBOARD_RETURN_IF_ERROR(AddRule(rest.substr(0, end), own->gates));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  own->policy = {.name = own->name, .gates = own->gates};
  return std::shared_ptr<const Policy>(own, &own->policy);
}

std::vector<PolicyCheck> CheckPolicy(const Policy& policy, const Metrics& baseline,
                                     const Metrics& variant) {
  std::vector<PolicyCheck> checks;
  for (const PolicyGate& gate : policy.gates) checks.push_back(Check(gate, baseline, variant));
  return checks;
}

}  // namespace cboard::analysis
