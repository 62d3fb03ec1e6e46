#include "server/api/json_body.h"

#include <cmath>

#include "cboard/base/strings.h"

namespace cboard::server {
namespace {

constexpr std::size_t kMaxSeries = 5000;

[[nodiscard]] auto Wrong(std::string_view field, std::string_view expected) {
  return Fail(ErrorCode::kInvalidArgument,
              "field " + Quoted(field) + " must be " + std::string(expected));
}

}  // namespace

Result<JsonBody> JsonBody::Parse(std::string_view body) {
  JsonBody parsed;
  simdjson::dom::element root;
  if (const auto problem = parsed.parser_->parse(body.data(), body.size()).get(root)) {
    return Fail(ErrorCode::kInvalidArgument,
                std::string("the body of the request is not valid JSON: ") +
                    simdjson::error_message(problem));
  }
  if (root.get(parsed.root_) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument, "the body of the request must be a JSON object");
  }
  return parsed;
}

bool JsonBody::Has(std::string_view field) const {
  simdjson::dom::element value;
  return root_[field].get(value) == simdjson::SUCCESS && !value.is_null();
}

Result<std::string> JsonBody::Text(std::string_view field, std::string_view otherwise) const {
  if (!Has(field)) return std::string(otherwise);
  std::string_view text;
  if (root_[field].get(text) != simdjson::SUCCESS) return Wrong(field, "a string");
  return std::string(text);
}

Result<double> JsonBody::Number(std::string_view field, double otherwise) const {
  if (!Has(field)) return otherwise;
  double number = 0;
  if (root_[field].get(number) != simdjson::SUCCESS) return Wrong(field, "a number");
  return number;
}

Result<std::size_t> JsonBody::Whole(std::string_view field, std::size_t least, std::size_t most,
                                    std::size_t otherwise) const {
  if (!Has(field)) return otherwise;
  std::uint64_t number = 0;
  if (root_[field].get(number) != simdjson::SUCCESS || number < least || number > most) {
    return Wrong(field,
                 "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<std::size_t>(number);
}

Result<simdjson::dom::array> JsonBody::Array(std::string_view field, std::size_t most) const {
  simdjson::dom::array array;
  if (root_[field].get(array) != simdjson::SUCCESS) return Wrong(field, "given as an array");
  if (array.size() > most) {
    return Wrong(field, "an array of at most " + std::to_string(most) + " members");
  }
  return array;
}

Result<std::vector<std::string>> JsonBody::Texts(std::string_view field, std::size_t most) const {
  CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::array array, Array(field, most));
  std::vector<std::string> texts;
  for (const simdjson::dom::element element : array) {
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) return Wrong(field, "an array of strings");
    texts.emplace_back(text);
  }
  return texts;
}

Result<simdjson::dom::object> JsonBody::Object(std::string_view field) const {
  simdjson::dom::object object;
  if (root_[field].get(object) != simdjson::SUCCESS) return Wrong(field, "given as an object");
  return object;
}

Result<std::vector<SeriesName>> ParseSeriesNames(const JsonBody& body, std::size_t parts) {
  CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::array series, body.Array("series", kMaxSeries));
  const std::string_view expected =
      parts == 2 ? R"([["run","tag"],…])" : R"([["run","tag",step or null],…])";
  std::vector<SeriesName> names;
  for (const simdjson::dom::element member : series) {
    simdjson::dom::array pair;
    std::string_view run, tag;
    if (member.get(pair) != simdjson::SUCCESS || pair.size() != parts ||
        pair.at(0).get(run) != simdjson::SUCCESS || pair.at(1).get(tag) != simdjson::SUCCESS) {
      return Wrong("series", expected);
    }
    SeriesName name{.run = std::string(run), .tag = std::string(tag)};
    if (parts == 3 && !pair.at(2).is_null()) {
      name.has_step = true;
      if (pair.at(2).get(name.step) != simdjson::SUCCESS) return Wrong("series", expected);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace cboard::server
