// The values of a column of a row group, gathered until they are written.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "cboard/parquet/table_writer.h"

namespace cboard::parquet {

// Min and max: a text as it is, a number in the bytes of its page.
struct Bounds {
  std::string least;
  std::string greatest;
};

// Content of a column chunk to store.
struct ChunkContent {
  std::size_t value_count = 0;
  std::size_t dictionary_count = 0;  // Texts in the dictionary; 0 for numbers, which have none.
  std::string dictionary;
  std::string values;  // Numbers, or the indices of texts in the dictionary.

  // Nothing when one of the numbers is NaN: to DuckDB that is greater than any other number, and it
  // would skip it by a greatest value that knows nothing of it. Nothing, too, for texts so long
  // that the footer would grow with them. A zero has the sign that makes it hold for both zeros.
  std::optional<Bounds> bounds;
};

class ColumnValues {
 public:
  static std::unique_ptr<ColumnValues> Make(ColumnType type);
  virtual ~ColumnValues() = default;

  // Appends the cells of `count` rows, of which the first is `first`. `cells` must be of the type
  // of the column.
  virtual void Append(const Cells& cells, std::size_t first, std::size_t count) = 0;

  // Size of the dictionary so far.
  virtual std::size_t text_bytes() const { return 0; }

  // Returns all appended values, and starts again.
  virtual ChunkContent Take() = 0;
};

}  // namespace cboard::parquet
