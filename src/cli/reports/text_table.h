// Formats columns of text for a terminal or a pipe.
//
//   TextTable table({{"tag"}, {"count", Align::kRight}});
//   table.AddRow({"loss", "1,000"});
//   std::cout << table.Render();
//
//   tag   count
//   loss  1,000
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::cli {

enum class Align { kLeft, kRight };

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Adds a row. Missing cells are empty; cells beyond the last column are dropped.
  void AddRow(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }

  // Drops columns that are empty in every row.
  void DropEmptyColumns();

  // Returns a line of titles and a line per row, each with `indent` spaces in front. Cells are made
  // printable.
  std::string Render(std::size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Returns `text` as valid UTF-8 on one line. Control characters, including those that reorder text
// such as U+202E, are written as \xNN or \uNNNN, so that text from a file cannot move the cursor,
// colour the screen or look like other text.
std::string Printable(std::string_view text);

// Returns a count with its noun: "1 run", "1,000 runs".
std::string Plural(std::size_t count, const std::string& noun);

// Returns the number of terminal columns for printable UTF-8 `text`: one per code point, two for
// wide East Asian characters and emoji, none for combining marks.
std::size_t DisplayWidth(std::string_view text);

// Returns `text` truncated to `max_width` columns; the last column is "…" if it was truncated.
std::string Shortened(std::string_view text, std::size_t max_width);

// Returns `text` with its beginning replaced by "…" if it is too long, for names that differ at the
// end.
std::string ShortenedToEnd(std::string_view text, std::size_t max_width);

}  // namespace cboard::cli
