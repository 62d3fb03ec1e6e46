// Bit widths from the names of element types, operations and attributes; the other functions are
// public.
#pragma once

#include <string>
#include <string_view>

namespace cboard::analysis {

// Whether an operation turns real values into codes.
bool IsQuantizeOperation(std::string_view op);

// Returns true for operations that only convert or join values, so that their results for constants
// are known before the graph runs.
bool KeepsValues(std::string_view op);

// Lower case of ASCII letters; other bytes stay.
std::string LowerCase(std::string_view text);

}  // namespace cboard::analysis
