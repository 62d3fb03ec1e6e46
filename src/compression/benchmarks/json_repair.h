// Repairs JSON that the fast parser rejects.
//
// Programs write JSON that the standard does not allow: Python writes NaN and Infinity, other tools
// write numbers beyond a double, lone surrogates, or names in Latin-1. RepairJson rewrites these in
// place, byte for byte, so that the fast parser accepts the text and nothing is copied. Any other
// problem is an error with line, column and the expected text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::compression {

// Maximum nesting depth, more than any benchmark needs; the fast parser's own limit is 1024.
inline constexpr std::size_t kMaxJsonDepth = 500;

// Makes `text` standard JSON without changing its length. Returns one sentence per kind of repair:
// "3 numbers are NaN or infinite, the first in line 7, column 12". Fails with kInvalidArgument and
// "<source>:<line>:<column>: expected …, found …".
Result<std::vector<std::string>> RepairJson(std::string& text, std::string_view source);

// Parses a non-finite number in the form that RepairJson writes: a string that starts with a
// delete character. Also accepts "NaN", "Infinity" and "-Infinity". Returns nullopt for any other
// string.
std::optional<double> NonFiniteNumber(std::string_view value);

}  // namespace cboard::compression
