// Parses one gate: the type of each member, and the error if a member has another type.
#include "analysis/gates/gate_parser.h"

#include <algorithm>
#include <array>
#include <span>

#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// Maximum number of patterns: each pattern is compared with every layer.
constexpr std::size_t kMaxPatterns = 100;

struct NamedAggregation {
  std::string_view name;
  Aggregation aggregation;
};
constexpr auto kAggregations = std::to_array<NamedAggregation>({{"last", Aggregation::kLast},
                                                                {"min", Aggregation::kMin},
                                                                {"max", Aggregation::kMax},
                                                                {"mean", Aggregation::kMean},
                                                                {"p50", Aggregation::kP50},
                                                                {"p90", Aggregation::kP90},
                                                                {"p95", Aggregation::kP95},
                                                                {"p99", Aggregation::kP99}});

constexpr std::array<std::string_view, 12> kGateMembers = {
    "id",  "role", "metric", "tags",   "direction",  "absolute", "relative_degradation",
    "min", "max",  "layers", "except", "description"};

// Reads the members of one gate; `where_` names it in errors.
class GateParser {
 public:
  GateParser(const DocumentNode& node, std::size_t number, std::vector<ContractWarning>& remarks)
      : node_(node), where_("gate " + std::to_string(number)), remarks_(remarks) {}

  Result<Gate> Parse() {
    if (!node_.is_map()) {
      return Wrong(node_, "the gate must be a mapping such as {metric: accuracy, min: 0.7}, not " +
                              node_.Describe());
    }
    Gate gate{.line = node_.line};
    CBOARD_RETURN_IF_ERROR(ReadText(node_, "id", gate.id));
    where_ += " (" + Quoted(gate.id) + ")";
    CBOARD_RETURN_IF_ERROR(ReadText(node_, "role", gate.role));
    CBOARD_RETURN_IF_ERROR(ReadPatterns("layers", gate.layers));
    CBOARD_RETURN_IF_ERROR(ReadPatterns("except", gate.except));
    CBOARD_RETURN_IF_ERROR(ParseMetric(gate));
    CBOARD_RETURN_IF_ERROR(ParseTags(node_, gate));
    CBOARD_RETURN_IF_ERROR(ParseDirection(gate));
    CBOARD_RETURN_IF_ERROR(ParseAbsolute(gate));
    CBOARD_RETURN_IF_ERROR(ParseDegradation(gate));
    CBOARD_RETURN_IF_ERROR(gate.is_about_layers() ? CheckLayerGate(gate) : CheckGate(gate));
    WarnUnknownKey();
    return gate;
  }

 private:
  tl::unexpected<Error> Wrong(const DocumentNode& at, std::string_view what) const {
    return Fail(ErrorCode::kInvalidArgument, at.place() + ": " + where_ + ": " + std::string(what));
  }
  tl::unexpected<Error> WrongMember(const DocumentNode& at, std::string_view key,
                                    std::string_view expected) const {
    return Wrong(at, "the key " + Quoted(key) + " is " + at.Describe() + " but must be " +
                         std::string(expected));
  }

  // Reads a text member; `text` keeps its value if the member is missing or empty.
  Result<void> ReadText(const DocumentNode& parent, std::string_view key, std::string& text) const {
    const DocumentNode* const node = parent.Find(key);
    if (node == nullptr) return {};
    if (!node->is_text()) return WrongMember(*node, key, "a text");
    if (!node->text.empty()) text = node->text;
    return {};
  }

  Result<void> ReadNumber(const DocumentNode& parent, std::string_view key,
                          std::optional<double>& number) const {
    const DocumentNode* const node = parent.Find(key);
    if (node == nullptr) return {};
    number = node->Number();
    if (number) return {};
    return WrongMember(*node, key, "a number, such as 0.7");
  }

  // Reads one pattern, or a list of patterns.
  Result<void> ReadPatterns(std::string_view key, std::vector<std::string>& patterns) const {
    const DocumentNode* const node = node_.Find(key);
    if (node == nullptr) return {};
    const std::span<const DocumentNode> items =
        node->is_list() ? std::span(node->items) : std::span(node, 1);
    for (const DocumentNode& item : items) {
      if (!item.is_text() || item.text.empty()) {
        return WrongMember(item, key, "a pattern of layers' names, such as 'conv*', or a list");
      }
      patterns.push_back(item.text);
    }
    if (patterns.empty())
      return Wrong(*node, "the key " + Quoted(key) + " is empty; write '*' for all layers");
    if (patterns.size() > kMaxPatterns) {
      return Wrong(*node, "the key " + Quoted(key) +
                              " has more than 100 patterns; use * to combine patterns");
    }
    return {};
  }

  Result<void> ParseMetric(Gate& gate) const {
    const DocumentNode* const metric = node_.Find("metric");
    if (metric == nullptr) {
      return Wrong(node_, "the gate needs a 'metric', such as accuracy or {name: accuracy}");
    }
    if (metric->is_text()) {
      gate.metric = metric->text;
    } else if (metric->is_map()) {
      CBOARD_RETURN_IF_ERROR(ReadText(*metric, "name", gate.metric));
      CBOARD_RETURN_IF_ERROR(ParseAggregation(*metric, gate));
      CBOARD_RETURN_IF_ERROR(ParseTags(*metric, gate));
    } else {
      return WrongMember(*metric, "metric", "a name or a mapping such as {name: accuracy}");
    }
    if (gate.metric.empty()) return Wrong(*metric, "'metric' needs a 'name'");
    return {};
  }

  Result<void> ParseAggregation(const DocumentNode& metric, Gate& gate) const {
    std::string source = "summary_metrics", aggregation = "last";
    CBOARD_RETURN_IF_ERROR(ReadText(metric, "source", source));
    CBOARD_RETURN_IF_ERROR(ReadText(metric, "aggregation", aggregation));
    if (source != "summary_metrics" && source != "metrics") {
      return Wrong(metric,
                   "'source' is " + Quoted(source) + " but must be summary_metrics or metrics");
    }
    const auto known = std::ranges::find(kAggregations, aggregation, &NamedAggregation::name);
    if (known == kAggregations.end()) {
      return Wrong(metric, "'aggregation' is " + Quoted(aggregation) +
                               " but must be last, min, max, mean, p50, p90, p95 or p99");
    }
    // A metric of a summary has one value, so the contract need not name an aggregation.
    if (source == "metrics") gate.aggregation = known->aggregation;
    return {};
  }

  // Reads the tags of the gate. In CEMI's format, they are members of `metric`. If `metric` is only
  // a name, they are members of the gate.
  Result<void> ParseTags(const DocumentNode& parent, Gate& gate) const {
    const DocumentNode* const tags = parent.Find("tags");
    if (tags == nullptr) return {};
    if (!tags->is_map()) return WrongMember(*tags, "tags", "a mapping such as {model: resnet18}");
    for (const auto& [key, value] : tags->members) {
      if (!value.is_text()) return WrongMember(value, key, "a text");
      gate.tags.insert_or_assign(key, value.text);
    }
    return {};
  }

  Result<void> ParseDirection(Gate& gate) const {
    std::string direction;
    CBOARD_RETURN_IF_ERROR(ReadText(node_, "direction", direction));
    if (direction == "higher_is_better") gate.direction = compression::Better::kHigher;
    if (direction == "lower_is_better") gate.direction = compression::Better::kLower;
    if (direction.empty() || gate.direction != compression::Better::kUnknown) return {};
    return Wrong(*node_.Find("direction"), "'direction' is " + Quoted(direction) +
                                               " but must be higher_is_better or lower_is_better");
  }

  // Reads `min` and `max` from `absolute` or from the gate itself.
  Result<void> ParseAbsolute(Gate& gate) const {
    const DocumentNode* const absolute = node_.Find("absolute");
    if (absolute != nullptr && !absolute->is_map()) {
      return WrongMember(*absolute, "absolute", "a mapping such as {min: 0.7}");
    }
    const DocumentNode& limits = absolute != nullptr ? *absolute : node_;
    if (gate.is_about_layers() && gate.metric == "level") return ParseLevel(limits, gate);
    CBOARD_RETURN_IF_ERROR(ReadNumber(limits, "min", gate.min));
    CBOARD_RETURN_IF_ERROR(ReadNumber(limits, "max", gate.max));
    if (absolute != nullptr) {
      if (!gate.min && !gate.max) return Wrong(*absolute, "'absolute' must contain 'min' or 'max'");
      if (node_.Find("min") != nullptr || node_.Find("max") != nullptr) {
        return Wrong(*absolute,
                     "the gate has limits inside and outside of 'absolute'; keep only one of them");
      }
    }
    if (gate.min && gate.max && *gate.min > *gate.max) {
      return Wrong(*limits.Find("min"),
                   "'min' is above 'max', so no value can pass; correct one of them");
    }
    return {};
  }

  Result<void> ParseLevel(const DocumentNode& limits, Gate& gate) const {
    const DocumentNode* const worst = limits.Find("max");
    if (worst == nullptr || limits.Find("min") != nullptr) {
      return Wrong(node_,
                   "a gate on the level of layers takes 'max' but not 'min'; for example, 'max: "
                   "amber' forbids red layers");
    }
    if (worst->is_text() && worst->text == NameOf(Level::kGreen)) gate.worst_level = Level::kGreen;
    if (worst->is_text() && worst->text == NameOf(Level::kAmber)) gate.worst_level = Level::kAmber;
    if (gate.worst_level) return {};
    return WrongMember(*worst, "max", "amber, which forbids red layers, or green");
  }

  Result<void> ParseDegradation(Gate& gate) const {
    const DocumentNode* const limits = node_.Find("relative_degradation");
    if (limits == nullptr) return {};
    if (!limits->is_map()) {
      return WrongMember(*limits, "relative_degradation", "a mapping such as {max_pct: 1}");
    }
    CBOARD_RETURN_IF_ERROR(ReadNumber(*limits, "max_abs", gate.max_degradation));
    CBOARD_RETURN_IF_ERROR(ReadNumber(*limits, "max_pct", gate.max_degradation_pct));
    if (gate.max_degradation || gate.max_degradation_pct) return {};
    return Wrong(*limits, "'relative_degradation' must contain 'max_abs' or 'max_pct'");
  }

  // Rejects relative limits for layers: layer metrics already compare with the baseline.
  Result<void> CheckLayerGate(const Gate& gate) const {
    for (const std::string_view key : {"relative_degradation", "direction"}) {
      if (const DocumentNode* const node = node_.Find(key)) {
        return Wrong(*node, "a gate on layers cannot have " + Quoted(key) + "; use 'min' or 'max'");
      }
    }
    if (gate.aggregation != Aggregation::kLast) {
      return Wrong(*node_.Find("metric"),
                   "a gate on layers cannot have 'aggregation', because it checks the last value "
                   "of each layer; remove it");
    }
    if (gate.min || gate.max || gate.worst_level) return {};
    return Wrong(node_, "a gate on layers needs 'min' or 'max', such as min: 20");
  }

  Result<void> CheckGate(const Gate& gate) const {
    if (!gate.except.empty())
      return Wrong(*node_.Find("except"),
                   "a gate with 'except' also needs 'layers'; add 'layers', such as '*'");
    if (!gate.min && !gate.max && !gate.max_degradation && !gate.max_degradation_pct) {
      remarks_.push_back({node_.line, node_.place() + ": " + where_ +
                                          " has no limit: it passes wherever " +
                                          Quoted(gate.metric) + " is logged"});
    }
    return {};
  }

  void WarnUnknownKey() const {
    for (const auto& [key, value] : node_.members) {
      if (std::ranges::find(kGateMembers, key) != kGateMembers.end()) continue;
      remarks_.push_back({value.line, value.place() + ": " + where_ + ": " + Quoted(key) +
                                          " is not known and ignored"});
    }
  }

  const DocumentNode& node_;
  std::string where_;
  std::vector<ContractWarning>& remarks_;
};

}  // namespace

Result<Gate> ParseGate(const DocumentNode& node, std::size_t number,
                       std::vector<ContractWarning>& remarks) {
  return GateParser(node, number, remarks).Parse();
}

}  // namespace cboard::analysis
