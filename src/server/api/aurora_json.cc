#include "server/api/aurora_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cboard/base/strings.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::AuroraCell;

void WriteParts(JsonWriter& json, std::string_view key, std::span<const AuroraCell* const> cells,
                std::vector<std::pair<std::string, double>> AuroraCell::*member) {
  json.Key(key).BeginArray();
  for (const AuroraCell* cell : cells) {
    json.BeginObject();
    for (const auto& [name, value] : cell->*member) {
      json.Key(name);
      WriteNumber(json, value);
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteAuroraColumns(JsonWriter& json, std::span<const AuroraCell* const> cells) {
  WriteNumbers(json, "scores", cells, [](const AuroraCell* cell) { return cell->score; });
  WriteNumbers(json, "means", cells, [](const AuroraCell* cell) { return cell->mean; });
  WriteNumbers(json, "coverages", cells, [](const AuroraCell* cell) { return cell->coverage; });
  WriteValues(json, "kinds", cells, [](const AuroraCell* cell) {
    return std::string_view(cell->computed ? "computed" : "logged");
  });
  WriteValues(json, "formulas", cells, [](const AuroraCell* cell) { return cell->formula; });
  json.Key("reasons").BeginArray();
  for (const AuroraCell* cell : cells) {
    if (cell->reason.empty()) {
      json.Null();
    } else {
      json.Value(cell->reason);
    }
  }
  json.EndArray();
  WriteParts(json, "factors", cells, &AuroraCell::factors);
  WriteParts(json, "weights", cells, &AuroraCell::weights);
}

Result<std::optional<compression::AuroraOptions>> ParseAuroraWeights(std::string_view text) {
  if (text.empty()) return std::nullopt;
  compression::AuroraOptions options;
  const std::array<double*, 6> numbers = {&options.quality.weight, &options.throughput.weight,
                                          &options.latency.weight, &options.energy.weight,
                                          &options.memory.weight,  &options.penalty_factor};
  std::size_t count = 0;
  for (const std::string_view part : Split(text, ',')) {
    double number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = error == std::errc() && end == part.data() + part.size();
    if (!is_number || !std::isfinite(number) || number < 0 || count == numbers.size()) {
      count = 0;
      break;
    }
    const bool is_penalty = count + 1 == numbers.size();
    *numbers[count++] = is_penalty ? number : number / 100;
  }
  if (count == numbers.size()) return options;
  return Fail(ErrorCode::kInvalidArgument,
              "weights are " + Quoted(text) +
                  "; expected six numbers of at least 0: the weights of quality, throughput, "
                  "latency, energy and memory in percent, and the penalty factor, such as "
                  "40,20,15,15,10,10");
}

}  // namespace cboard::server
