// The JSON body of a request, with errors that name the field.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::server {

// Parses a JSON object; fails with kInvalidArgument if the text is anything else.
class JsonBody {
 public:
  static Result<JsonBody> Parse(std::string_view body);

  bool Has(std::string_view field) const;

  // The following functions return an optional field, or `otherwise` if the field is missing or
  // null. They fail if it has another type.
  Result<std::string> Text(std::string_view field, std::string_view otherwise) const;
  Result<double> Number(std::string_view field, double otherwise) const;
  Result<std::size_t> Whole(std::string_view field, std::size_t least, std::size_t most,
                            std::size_t otherwise) const;

  // The following functions return a required field, and fail if it is missing. An array may have
  // at most `most` members.
  Result<simdjson::dom::array> Array(std::string_view field, std::size_t most) const;
  Result<std::vector<std::string>> Texts(std::string_view field, std::size_t most) const;
  Result<simdjson::dom::object> Object(std::string_view field) const;

 private:
  JsonBody() = default;
  std::unique_ptr<simdjson::dom::parser> parser_ = std::make_unique<simdjson::dom::parser>();
  simdjson::dom::object root_;
};

// One member of "series": [run, tag], or [run, tag, step or null] if `parts` is 3.
struct SeriesName {
  std::string run;
  std::string tag;
  bool has_step = false;
  std::int64_t step = 0;
};
Result<std::vector<SeriesName>> ParseSeriesNames(const JsonBody& body, std::size_t parts);

}  // namespace cboard::server
