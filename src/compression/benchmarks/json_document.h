// Reads JSON of other programs: tries the fast parser first, and repairs text that is not standard
// JSON.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::compression {

// Parses `text` in place; `text` and `parser` must outlive the result. Adds a sentence to `repairs`
// for each kind of repair. Fails with kInvalidArgument for an empty file ("expected <what>, found
// an empty file"), UTF-16, and text that RepairJson rejects.
Result<simdjson::dom::element> ParseJson(std::string& text, simdjson::dom::parser& parser,
                                         std::string_view source, std::string_view what,
                                         std::vector<std::string>& repairs);

// Returns a finite or non-finite number; nullopt for booleans and other strings.
std::optional<double> NumberOf(const simdjson::dom::element& element);

}  // namespace cboard::compression
