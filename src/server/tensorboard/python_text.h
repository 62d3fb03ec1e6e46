// Texts as Python spells them, where TensorBoard's answers carry its spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard::server::tensorboard {

// repr() of a text: 'it', "it's"; None if there is none. Cut to a length that suits a message.
std::string PythonRepr(const std::optional<std::string>& text);

// repr() of a float: 1.0, 1e+16, 1700000000.0, nan, -inf.
std::string PythonRepr(double number);

// One cell of csv.writer: quoted where it has to be.
std::string CsvCell(std::string_view text);

}  // namespace cboard::server::tensorboard
