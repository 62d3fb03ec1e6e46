// A logged text as HTML: a paragraph, or a table when it has dimensions.
#pragma once

#include <string>

#include "cboard/reader/media_query.h"

namespace cboard::server {

enum class TextCells { kMarkdown, kPlain };

// Returns HTML that is safe in a page for any logged text (markdown.h). With more than two
// dimensions, the first matrix is shown after a warning; a list is a column. The result equals
// TensorBoard's, character for character.
std::string TextToHtml(const reader::TextValue& value, TextCells cells = TextCells::kMarkdown);

}  // namespace cboard::server
