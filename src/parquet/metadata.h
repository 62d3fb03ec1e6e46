// Encodes the metadata of a Parquet file: the header before each page, and the footer. Field
// numbers and enumerations are those in Parquet's file parquet.thrift.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "parquet/column_values.h"

namespace cboard::parquet {

enum class PageType { kData = 0, kDictionary = 2 };
enum class Codec { kNone = 0, kGzip = 2 };

// Describes a data page. A page of a text column contains indices into a dictionary.
struct PageInfo {
  PageType type = PageType::kData;
  ColumnType column = ColumnType::kDouble;
  std::size_t value_count = 0;
  std::size_t plain_bytes = 0;   // Size before compression.
  std::size_t stored_bytes = 0;  // Size after compression.
  std::uint32_t crc32 = 0;       // CRC-32 of the stored bytes.
};

std::string EncodePageHeader(const PageInfo& page);

// Describes the pages of one column in one row group.
struct ChunkInfo {
  Codec codec = Codec::kNone;
  std::size_t value_count = 0;
  std::uint64_t plain_bytes = 0;   // Size before compression, including page headers.
  std::uint64_t stored_bytes = 0;  // Size after compression, including page headers.
  std::optional<std::uint64_t> dictionary_offset;
  std::uint64_t data_offset = 0;
  std::optional<Bounds> bounds;
};

// Appends the description of one row group to `out`. The row group starts at `offset` in the file.
void AppendRowGroup(std::span<const Column> columns, std::span<const ChunkInfo> chunks,
                    std::uint64_t offset, std::size_t row_count, std::string& out);

// Encodes the footer. `groups` contains the descriptions of `group_count` row groups, as
// AppendRowGroup has appended them.
std::string EncodeFooter(std::span<const Column> columns, std::uint64_t row_count,
                         std::size_t group_count, std::string_view groups);

}  // namespace cboard::parquet
