// Reads the label that our own writers store with each value.
#include <simdjson.h>

#include "cboard/analysis/parsed_tag.h"

namespace cboard::analysis {
namespace {

// Maximum size: a label holds a few names, and our writers never write more.
constexpr std::size_t kMaxLabelBytes = 64 << 10;

// The newest supported version of labels, described in docs/formats/compression-tags.md.
constexpr double kLabelVersion = 1;

class Label {
 public:
  explicit Label(simdjson::dom::object object) : object_(object) {}

  std::string Text(std::string_view key) const {
    std::string_view value;
    return object_[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
  }

  std::optional<double> Number(std::string_view key) const {
    double value = 0;
    return object_[key].get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
  }

  bool Flag(std::string_view key) const {
    bool value = false;
    return object_[key].get(value) == simdjson::SUCCESS && value;
  }

  std::vector<std::pair<std::string, double>> Numbers(std::string_view key) const {
    std::vector<std::pair<std::string, double>> numbers;
    simdjson::dom::object members;
    if (object_[key].get(members) != simdjson::SUCCESS) return numbers;
    for (const auto& [name, member] : members) {
      double value = 0;
      if (member.get(value) == simdjson::SUCCESS) numbers.emplace_back(std::string(name), value);
    }
    return numbers;
  }

 private:
  simdjson::dom::object object_;
};

// Calls `read` with the label if `plugin_content` contains a supported label.
template <typename T>
T ReadLabel(std::string_view plugin_content, T (*read)(const Label&)) {
  if (plugin_content.empty() || plugin_content.size() > kMaxLabelBytes) return {};
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(plugin_content)).get(object) != simdjson::SUCCESS) {
    return {};
  }
  const Label label(object);
  if (label.Number("v").value_or(kLabelVersion) > kLabelVersion) return {};
  return read(label);
}

compression::Better BetterOf(std::string_view text) {
  if (text == "higher") return compression::Better::kHigher;
  return text == "lower" ? compression::Better::kLower : compression::Better::kUnknown;
}

std::optional<ParsedTag> ParseLabel(const Label& label) {
  ParsedTag meaning{.dialect = TagFormat::kStored,
                    .model = label.Text("model"),
                    .variant = label.Text("variant"),
                    .baseline = label.Text("baseline"),
                    .metric = label.Text("metric"),
                    .unit = label.Text("unit"),
                    .better = BetterOf(label.Text("better")),
                    .derived = label.Flag("derived")};
  if (meaning.model.empty() || meaning.variant.empty() || meaning.metric.empty()) {
    return std::nullopt;
  }
  if (meaning.baseline.empty()) return meaning;
  meaning.kind = FactKind::kRatio;
  meaning.aurora = {.formula = label.Text("formula"),
                    .coverage = label.Number("coverage"),
                    .weights = label.Numbers("weights"),
                    .penalty_factor = label.Number("penalty_factor"),
                    .quality_metric = label.Text("quality_metric"),
                    .measured_on = label.Text("measured_on")};
  return meaning;
}

}  // namespace

std::optional<ParsedTag> ParseMetadata(std::string_view plugin_content) {
  return ReadLabel(plugin_content, ParseLabel);
}

std::string ModelOfStored(std::string_view plugin_content) {
  return ReadLabel<std::string>(plugin_content,
                                [](const Label& label) { return label.Text("model"); });
}

std::string LayerOfStored(std::string_view plugin_content) {
  return ReadLabel<std::string>(plugin_content,
                                [](const Label& label) { return label.Text("layer"); });
}

std::string NodeOfStored(std::string_view plugin_content) {
  return ReadLabel<std::string>(plugin_content,
                                [](const Label& label) { return label.Text("node"); });
}

}  // namespace cboard::analysis
