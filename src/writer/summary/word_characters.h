// Defines which characters are letters and digits.
#pragma once

namespace cboard::writer::summary {

// True if Python's \w matches `code_point`, which means a letter, a number or '_' of Unicode 14.
bool IsWordCharacter(char32_t code_point);

}  // namespace cboard::writer::summary
