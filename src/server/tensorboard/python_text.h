// Formats values as Python does, for responses in which TensorBoard uses Python's format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard::server::tensorboard {

// Returns repr() of a text: 'it', "it's"; None if there is no text. Truncated to a length that fits
// into a message.
std::string PythonRepr(const std::optional<std::string>& text);

// Returns repr() of a float: 1.0, 1e+16, 1700000000.0, nan, -inf.
std::string PythonRepr(double number);

// Returns one cell as csv.writer formats it, quoted if necessary.
std::string CsvCell(std::string_view text);

}  // namespace cboard::server::tensorboard
