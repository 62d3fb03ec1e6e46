// A logged text as HTML: a paragraph, or a table when it has dimensions.
#pragma once

#include <string>

#include "cboard/reader/media_query.h"

namespace cboard::server {

enum class TextCells { kMarkdown, kPlain };

// Safe to put into a page, whatever was logged (markdown.h). Of more than two dimensions the first
// matrix is shown, after a warning; a list is a column. Character for character TensorBoard's.
std::string TextToHtml(const reader::TextValue& value, TextCells cells = TextCells::kMarkdown);

}  // namespace cboard::server
