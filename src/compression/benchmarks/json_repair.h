// The slow path of reading JSON: what to do when the fast parser refuses a text.
//
// Programs write JSON that the standard does not allow: Python writes NaN and Infinity, other
// tools numbers beyond a double, lone surrogates, or names in Latin-1. RepairJson rewrites these in
// place, byte for byte, so that the fast parser takes the text and nothing is copied. Whatever else
// is wrong is an error, and only here is it known where: line, column, what was expected.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::compression {

// Deeper nesting than any benchmark has; the fast parser's own limit is 1024.
inline constexpr std::size_t kMaxJsonDepth = 500;

// Makes `text` standard JSON, without changing its length. Returns one sentence per kind of repair:
// "3 numbers are NaN or infinite, the first in line 7, column 12". Fails with kInvalidArgument and
// "<source>:<line>:<column>: expected …, found …".
Result<std::vector<std::string>> RepairJson(std::string& text, std::string_view source);

// Parses RepairJson's form of a number that JSON cannot express: a string that starts with a delete
// character. Also understands the spellings "NaN", "Infinity" and "-Infinity". Returns nullopt if
// `value` is an ordinary string.
std::optional<double> NonFiniteNumber(std::string_view value);

}  // namespace cboard::compression
