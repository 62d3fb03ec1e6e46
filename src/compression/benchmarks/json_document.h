// Reading foreign JSON: the fast parser first, repair where a program wrote what JSON lacks.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::compression {

// The document in `text`, which is parsed in place and must outlive it, as must `parser`. Sentences
// about what had to be repaired are added to `repairs`. Fails with kInvalidArgument: an empty file
// ("expected <what>, found an empty file"), UTF-16, and whatever RepairJson refuses.
Result<simdjson::dom::element> ParseJson(std::string& text, simdjson::dom::parser& parser,
                                         std::string_view source, std::string_view what,
                                         std::vector<std::string>& repairs);

// A finite or non-finite number, or nullopt: booleans and other strings are none.
std::optional<double> NumberOf(const simdjson::dom::element& element);

}  // namespace cboard::compression
