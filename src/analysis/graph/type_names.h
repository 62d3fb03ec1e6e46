// Bit widths from the names of element types, operations and attributes; the other functions are
// public.
#pragma once

#include <string>
#include <string_view>

namespace cboard::analysis {

// Whether an operation turns real values into codes.
bool IsQuantizeOperation(std::string_view op);

// Whether it only changes how values are written or puts them together, so that what it makes of
// constants is known before the graph runs, too.
bool KeepsValues(std::string_view op);

// Lower case of ASCII letters; other bytes stay.
std::string LowerCase(std::string_view text);

}  // namespace cboard::analysis
