#include <simdjson.h>

#include <array>

#include "cboard/analysis/gates.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// A contract is a page of text.
constexpr std::size_t kMaxContractBytes = 16 << 20;

using Object = simdjson::dom::object;
using Element = simdjson::dom::element;

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

// Reads the members of one gate; `where` names it in errors.
class GateParser {
 public:
  GateParser(Object object, std::string where) : object_(object), where_(std::move(where)) {}

  Result<Gate> Parse() {
    Gate gate;
    CBOARD_RETURN_IF_ERROR(ReadText(object_, "id", gate.id));
    where_ += " (" + Quoted(gate.id) + ")";
    CBOARD_RETURN_IF_ERROR(ReadText(object_, "role", gate.role));
    CBOARD_RETURN_IF_ERROR(ParseMetric(gate));
    CBOARD_RETURN_IF_ERROR(ParseDirection(gate));
    CBOARD_RETURN_IF_ERROR(ReadLimits("absolute", "min", gate.min, "max", gate.max));
    CBOARD_RETURN_IF_ERROR(ReadLimits("relative_degradation", "max_abs", gate.max_degradation,
                                      "max_pct", gate.max_degradation_pct));
    return gate;
  }

 private:
  tl::unexpected<Error> Wrong(std::string_view what) const {
    return Fail(ErrorCode::kInvalidArgument, where_ + ": " + std::string(what));
  }

  // Leaves `text` as it is where there is no such member.
  Result<void> ReadText(Object object, std::string_view key, std::string& text) const {
    Element element;
    if (object[key].get(element) != simdjson::SUCCESS || element.is_null()) return {};
    std::string_view value;
    if (element.get(value) != simdjson::SUCCESS) {
      return Wrong(Quoted(key) + " must be a text");
    }
    if (!value.empty()) text = std::string(value);
    return {};
  }

  Result<void> ParseMetric(Gate& gate) const {
    Object metric;
    if (object_["metric"].get(metric) != simdjson::SUCCESS) {
      return Wrong("'metric' must be an object such as {\"name\": \"accuracy\"}");
    }
    CBOARD_RETURN_IF_ERROR(ReadText(metric, "name", gate.metric));
    if (gate.metric.empty()) return Wrong("'metric' needs a 'name'");
    std::string source = "summary_metrics", aggregation = "last";
    CBOARD_RETURN_IF_ERROR(ReadText(metric, "source", source));
    CBOARD_RETURN_IF_ERROR(ReadText(metric, "aggregation", aggregation));
    if (source != "summary_metrics" && source != "metrics") {
      return Wrong("'source' is " + Quoted(source) + " but may be summary_metrics or metrics");
    }
    const auto known = std::ranges::find(kAggregations, aggregation, &NamedAggregation::name);
    if (known == kAggregations.end()) {
      return Wrong("'aggregation' is " + Quoted(aggregation) +
                   " but may be last, min, max, mean, p50, p90, p95 or p99");
    }
    // A summary is the last value, whatever else is asked of it.
    if (source == "metrics") gate.aggregation = known->aggregation;
    return ParseTags(metric, gate);
  }

  Result<void> ParseTags(Object metric, Gate& gate) const {
    Element element;
    if (metric["tags"].get(element) != simdjson::SUCCESS || element.is_null()) return {};
    Object tags;
    if (element.get(tags) != simdjson::SUCCESS) return Wrong("'tags' must be an object");
    for (const auto& [key, value] : tags) {
      std::string_view text;
      const bool is_text = value.get(text) == simdjson::SUCCESS;
      gate.tags.emplace(std::string(key), is_text ? std::string(text) : simdjson::minify(value));
    }
    return {};
  }

  Result<void> ParseDirection(Gate& gate) const {
    std::string direction;
    CBOARD_RETURN_IF_ERROR(ReadText(object_, "direction", direction));
    if (direction == "higher_is_better") gate.direction = Better::kHigher;
    if (direction == "lower_is_better") gate.direction = Better::kLower;
    if (direction.empty() || gate.direction != Better::kUnknown) return {};
    return Wrong("'direction' is " + Quoted(direction) +
                 " but may be higher_is_better or lower_is_better");
  }

  Result<void> ReadLimits(std::string_view key, std::string_view first,
                          std::optional<double>& first_limit, std::string_view second,
                          std::optional<double>& second_limit) const {
    Element element;
    if (object_[key].get(element) != simdjson::SUCCESS || element.is_null()) return {};
    Object limits;
    if (element.get(limits) != simdjson::SUCCESS) return Wrong(Quoted(key) + " must be an object");
    CBOARD_RETURN_IF_ERROR(ReadNumber(limits, first, first_limit));
    CBOARD_RETURN_IF_ERROR(ReadNumber(limits, second, second_limit));
    if (first_limit || second_limit) return {};
    return Wrong(Quoted(key) + " needs " + Quoted(first) + " or " + Quoted(second));
  }

  Result<void> ReadNumber(Object object, std::string_view key,
                          std::optional<double>& number) const {
    Element element;
    if (object[key].get(element) != simdjson::SUCCESS || element.is_null()) return {};
    double value = 0;
    if (element.get(value) != simdjson::SUCCESS) return Wrong(Quoted(key) + " must be a number");
    number = value;
    return {};
  }

  Object object_;
  std::string where_;
};

}  // namespace

Result<Contract> ParseContract(std::string_view json) {
  if (json.size() > kMaxContractBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "contract: is " + HumanBytes(static_cast<double>(json.size())) + " long; at most " +
                    HumanBytes(kMaxContractBytes) + " are read");
  }
  simdjson::dom::parser parser;
  Element root;
  if (const auto error = parser.parse(simdjson::padded_string(json)).get(root)) {
    return Fail(ErrorCode::kInvalidArgument,
                "contract: is not JSON: " + std::string(simdjson::error_message(error)));
  }
  Object object;
  if (root.get(object) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument, "contract: must be an object with a list 'gates'");
  }
  Contract contract;
  std::string_view baseline;
  if (object["baseline"]["run_id"].get(baseline) == simdjson::SUCCESS) {
    contract.baseline = std::string(baseline);
  }
  simdjson::dom::array gates;
  if (object["gates"].get(gates) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument, "contract: 'gates' must be a list");
  }
  for (const Element element : gates) {
    const std::string where = "contract: gate " + std::to_string(contract.gates.size() + 1);
    Object gate;
    if (element.get(gate) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kInvalidArgument, where + ": must be an object");
    }
    CBOARD_ASSIGN_OR_RETURN(Gate parsed, GateParser(gate, where).Parse());
    contract.gates.push_back(std::move(parsed));
  }
  return contract;
}

}  // namespace cboard::analysis
