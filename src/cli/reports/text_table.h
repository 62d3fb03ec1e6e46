// Columns of text for a terminal or a pipe.
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

  // Missing cells are empty; cells beyond the last column are dropped.
  void AddRow(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }

  // Drops columns that are empty in every row.
  void DropEmptyColumns();

  // A line of titles and a line per row, each after `indent` spaces. Cells are made Printable.
  std::string Render(std::size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` as valid UTF-8 on one line, with control characters, also those that reorder text
// (U+202E and its kin), written as \xNN or \uNNNN: what comes from a file cannot move the cursor,
// colour the screen or pass for something else.
std::string Printable(std::string_view text);

// A number and its noun: "1 run", "1,000 runs".
std::string Plural(std::size_t count, const std::string& noun);

// How many columns a terminal needs for printable UTF-8 `text`: one per code point, two for wide
// East Asian characters and emoji, none for combining marks.
std::size_t DisplayWidth(std::string_view text);

// `text` cut to `max_width` columns, with "…" as the last one if something was cut.
std::string Shortened(std::string_view text, std::size_t max_width);

// The same with the beginning cut off, and "…" in its place: for names that their ends tell apart.
std::string ShortenedToEnd(std::string_view text, std::size_t max_width);

}  // namespace cboard::cli
