// Collects the values of one column until the row group is written.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "cboard/parquet/table_writer.h"

namespace cboard::parquet {

// Min and max of a column. A text is stored unchanged; a number is stored as its bytes in the
// format of data pages.
struct Bounds {
  std::string least;
  std::string greatest;
};

// The content of one column in one row group, ready to be encoded.
struct ChunkContent {
  std::size_t value_count = 0;
  // Number of texts in the dictionary; 0 for numbers, which have no dictionary.
  std::size_t dictionary_count = 0;
  std::string dictionary;
  std::string values;  // Numbers, or indices into the dictionary.

  // The min and max of the column. They are nullopt if a number is NaN: DuckDB treats NaN as the
  // largest number, and would wrongly skip the row group because of a max that ignores NaN. They
  // are also nullopt if texts are so long that the footer would become large. If a bound is zero,
  // its sign is chosen so that the range includes both 0.0 and -0.0.
  std::optional<Bounds> bounds;
};

class ColumnValues {
 public:
  static std::unique_ptr<ColumnValues> Make(ColumnType type);
  virtual ~ColumnValues() = default;

  // Appends `count` rows of `cells`, starting at row `first` of `cells`. The cells must have the
  // type of the column.
  virtual void Append(const Cells& cells, std::size_t first, std::size_t count) = 0;

  // Returns the size of the text dictionary in bytes.
  virtual std::size_t text_bytes() const { return 0; }

  // Returns all values that were appended, and removes them from this object.
  virtual ChunkContent Take() = 0;
};

}  // namespace cboard::parquet
