#include "cboard/parquet/table_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cboard/base/check.h"
#include "parquet/column_chunk.h"
#include "parquet/column_values.h"
#include "parquet/metadata.h"

namespace cboard::parquet {
namespace {

constexpr std::string_view kMagic = "PAR1";  // The first and last bytes of the file.
constexpr std::size_t kRowGroupTextBytes = 4 << 20;

}  // namespace

TableWriter::TableWriter(std::vector<Column> columns, ByteSink& out)
    : columns_(std::move(columns)), out_(out) {
  for (const Column& column : columns_) values_.push_back(ColumnValues::Make(column.type));
}

TableWriter::~TableWriter() = default;

Result<void> TableWriter::Append(std::size_t rows, std::initializer_list<Cells> cells) {
  CBOARD_CHECK(cells.size() == columns_.size());
  for (std::size_t first = 0; first < rows;) {
    const std::size_t count = std::min(rows - first, kRowGroupRows - group_rows_);
    std::size_t text_bytes = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      values_[i]->Append(cells.begin()[i], first, count);
      text_bytes += values_[i]->text_bytes();
    }
    first += count;
    group_rows_ += count;
    if (group_rows_ == kRowGroupRows || text_bytes >= kRowGroupTextBytes) {
      CBOARD_RETURN_IF_ERROR(WriteRowGroup());
    }
  }
  return {};
}

Result<void> TableWriter::Finish() {
  if (group_rows_ > 0) CBOARD_RETURN_IF_ERROR(WriteRowGroup());
  if (offset_ == 0) CBOARD_RETURN_IF_ERROR(Write(kMagic));
  std::string footer = EncodeFooter(columns_, row_count_, group_count_, groups_);
  std::array<std::byte, 4> size;
  StoreLittleEndian(static_cast<std::uint32_t>(footer.size()), size);
  footer += AsText(size);
  footer += kMagic;
  return Write(footer);
}

Result<void> TableWriter::WriteRowGroup() {
  if (offset_ == 0) CBOARD_RETURN_IF_ERROR(Write(kMagic));
  const std::uint64_t group_offset = offset_;
  std::vector<ChunkInfo> chunks;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    ColumnChunk chunk = MakeColumnChunk(columns_[i].type, values_[i]->Take());
    chunk.info.data_offset += offset_;
    if (chunk.info.dictionary_offset) *chunk.info.dictionary_offset += offset_;
    CBOARD_RETURN_IF_ERROR(Write(chunk.bytes));
    chunks.push_back(std::move(chunk.info));
  }
  AppendRowGroup(columns_, chunks, group_offset, group_rows_, groups_);
  row_count_ += std::exchange(group_rows_, 0);
  ++group_count_;
  return {};
}

Result<void> TableWriter::Write(std::string_view bytes) {
  offset_ += bytes.size();
  return out_.Write(AsBytes(bytes));
}

}  // namespace cboard::parquet
