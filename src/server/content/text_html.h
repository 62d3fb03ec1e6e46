// Converts a logged text to HTML: a paragraph, or a table if the text is a tensor with dimensions.
#pragma once

#include <string>

#include "cboard/reader/media_query.h"

namespace cboard::server {

enum class TextCells { kMarkdown, kPlain };

// Returns HTML that is safe in a page for any logged text (markdown.h). For more than two
// dimensions, a warning and the first matrix are shown; a list becomes a column. The result equals
// TensorBoard's, character for character.
std::string TextToHtml(const reader::TextValue& value, TextCells cells = TextCells::kMarkdown);

}  // namespace cboard::server
