// Writes tables as Apache Parquet files, which pandas, pyarrow, Polars and DuckDB can read.
//
//   parquet::TableWriter table({{"run", parquet::ColumnType::kText},
//                               {"step", parquet::ColumnType::kInt64},
//                               {"value", parquet::ColumnType::kDouble}},
//                              file);
//   CBOARD_RETURN_IF_ERROR(table.Append(steps.size(), {"train", steps, values}));
//   CBOARD_RETURN_IF_ERROR(table.Finish());
//
// Writes sequentially, so the output may be a pipe. Data pages have version 1. Texts are
// dictionary-encoded, numbers are plain. Pages are gzip-compressed if that is smaller, and have a
// checksum. Every column of a row group has its min and max, so that queries can skip it.
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

// The values of a column in some rows: one text that is used for all rows, or one number per row.
using Cells =
    std::variant<std::string_view, std::span<const std::int64_t>, std::span<const double>>;

// Number of rows in a row group. A group is written when it has this number of rows. A column of a
// group takes about 1 MiB, and readers keep several columns in memory at once.
inline constexpr std::size_t kRowGroupRows = 128 << 10;

class ColumnValues;  // src/parquet/column_values.h

// Writes one Parquet file. It needs memory for the current row group, and a few hundred bytes for
// each group that was written. A group ends early if its distinct texts exceed 4 MiB. Not
// thread-safe.
class TableWriter {
 public:
  // Creates a writer that borrows `out`, which must outlive the writer. The file starts at the
  // current end of `out`. Nothing is written yet.
  TableWriter(std::vector<Column> columns, ByteSink& out);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  // Appends `rows` rows. `cells` contains the values of each column, in the order of the columns
  // and with the type of the column. A column of numbers needs `rows` numbers. Invalid UTF-8 in
  // texts becomes U+FFFD, because readers reject it. If the sink fails, returns its error; the file
  // cannot be completed afterwards.
  Result<void> Append(std::size_t rows, std::initializer_list<Cells> cells);

  // Writes the remaining rows and the footer. Without the footer, the file is not valid Parquet. A
  // table without rows is valid. No rows may be appended afterwards.
  Result<void> Finish();

 private:
  Result<void> Write(std::string_view bytes);
  Result<void> WriteRowGroup();

  const std::vector<Column> columns_;
  ByteSink& out_;
  std::uint64_t offset_ = 0;  // Bytes written.
  // Values of the current row group, by column.
  std::vector<std::unique_ptr<ColumnValues>> values_;
  std::size_t group_rows_ = 0;
  // Number of row groups that were written.
  std::size_t group_count_ = 0;
  std::uint64_t row_count_ = 0;
  std::string groups_;  // Row groups, as the footer lists them.
};

}  // namespace cboard::parquet
