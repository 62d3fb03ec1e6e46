#include "server/content/text_html.h"

#include <algorithm>

#include "server/content/markdown.h"

namespace cboard::server {
namespace {

std::string CellHtml(std::string_view text, TextCells kind) {
  return kind == TextCells::kMarkdown ? MarkdownToSafeHtml(text) : EscapeHtml(text);
}

// Returns an HTML table with one row per index of the second-to-last dimension; a list becomes one
// row per element.
std::string TableHtml(const std::vector<std::string_view>& cells, std::size_t rows,
                      std::size_t columns, TextCells kind) {
  std::string html = "<table>\n<tbody>\n";
  for (std::size_t row = 0; row < rows; ++row) {
    html += "<tr>\n";
    for (std::size_t column = 0; column < columns; ++column) {
      html += "<td>" + CellHtml(cells[row * columns + column], kind) + "</td>\n";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>";
}

}  // namespace

std::string TextToHtml(const reader::TextValue& value, TextCells cells) {
  const std::size_t rank = value.shape.size();
  if (rank == 0) {
    return value.texts.empty() ? std::string() : CellHtml(value.texts.front(), cells);
  }
  const auto size_of = [&](std::size_t dimension) {
    return static_cast<std::size_t>(std::max<std::int64_t>(value.shape[dimension], 0));
  };
  const std::size_t columns = rank == 1 ? 1 : size_of(rank - 1);
  const std::size_t rows = rank == 1 ? size_of(0) : size_of(rank - 2);
  std::string warning;
  if (rank > 2) {
    // The text of the warning is copied from TensorBoard, including its spaces.
    warning = MarkdownToSafeHtml(
        "**Warning:** This text summary contained data of dimensionality " + std::to_string(rank) +
        ", but only   2d tables are supported. Showing a 2d slice of the data instead.");
  }
  // Rows without cells need no bytes in the file, so a damaged file may declare any number of them.
  constexpr std::size_t kMaxEmptyRows = 1000;
  const bool complete = rows <= (columns == 0 ? kMaxEmptyRows : value.texts.size() / columns);
  return warning + TableHtml(value.texts, complete ? rows : 0, columns, cells);
}

}  // namespace cboard::server
