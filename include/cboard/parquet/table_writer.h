// Tables as Apache Parquet files, which pandas, pyarrow, Polars and DuckDB read as they are.
//
//   parquet::TableWriter table({{"run", parquet::ColumnType::kText},
//                               {"step", parquet::ColumnType::kInt64},
//                               {"value", parquet::ColumnType::kDouble}},
//                              file);
//   CBOARD_RETURN_IF_ERROR(table.Append(steps.size(), {"train", steps, values}));
//   CBOARD_RETURN_IF_ERROR(table.Finish());
//
// Writes from front to back, so that a pipe works. The file has: data pages of version 1; texts in
// dictionaries, plain numbers; pages with gzip if that is smaller, each with a checksum; the
// min and max of every column of a row group, which let queries skip it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard::parquet {

enum class ColumnType { kText, kInt64, kDouble };

struct Column {
  std::string name;
  ColumnType type = ColumnType::kDouble;
};

// Values of a column in some rows: one text for all rows, or one number per row.
using Cells =
    std::variant<std::string_view, std::span<const std::int64_t>, std::span<const double>>;

// Rows are gathered in groups of so many, and each is written when it is full: about 1 MiB a
// column, of which readers take several at once.
inline constexpr std::size_t kRowGroupRows = 128 << 10;

class ColumnValues;  // src/parquet/column_values.h

// Makes one file. Memory holds the row group that is being filled, which is ended early by 4 MiB of
// different texts, and a few hundred bytes about each that is written. Not thread-safe.
class TableWriter {
 public:
  // Borrows `out`, which must outlive the writer, and in which the file starts with the next byte.
  // Nothing is written yet.
  TableWriter(std::vector<Column> columns, ByteSink& out);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  // Appends `rows` rows: the cells of every column, in their order, of its type, and `rows` numbers
  // of each that has numbers. Bytes of texts that are not UTF-8 become U+FFFD, for readers refuse
  // them. Returns the sink's error, after which the file cannot be completed.
  Result<void> Append(std::size_t rows, std::initializer_list<Cells> cells);

  // Writes the rest and the footer, without which this is no Parquet file; a table without rows is
  // one. Nothing may be appended afterwards.
  Result<void> Finish();

 private:
  Result<void> Write(std::string_view bytes);
  Result<void> WriteRowGroup();

  const std::vector<Column> columns_;
  ByteSink& out_;
  std::uint64_t offset_ = 0;  // Bytes written.
  // The row group that is being filled.
  std::vector<std::unique_ptr<ColumnValues>> values_;
  std::size_t group_rows_ = 0;
  // Those that are written.
  std::size_t group_count_ = 0;
  std::uint64_t row_count_ = 0;
  std::string groups_;  // Row groups, as the footer lists them.
};

}  // namespace cboard::parquet
