// Encodes the metadata of a Parquet file: a header before every page, and a footer. Field numbers
// and enumerations are those of Parquet's parquet.thrift.
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

// A data page. Text columns contain indices into a dictionary.
struct PageInfo {
  PageType type = PageType::kData;
  ColumnType column = ColumnType::kDouble;
  std::size_t value_count = 0;
  std::size_t plain_bytes = 0;   // Size before compression.
  std::size_t stored_bytes = 0;  // Size after compression.
  std::uint32_t crc32 = 0;       // CRC-32 of the stored bytes.
};

std::string EncodePageHeader(const PageInfo& page);

// The pages of a column in a row group.
struct ChunkInfo {
  Codec codec = Codec::kNone;
  std::size_t value_count = 0;
  std::uint64_t plain_bytes = 0;   // Size before compression, including page headers.
  std::uint64_t stored_bytes = 0;  // Size after compression, including page headers.
  std::optional<std::uint64_t> dictionary_offset;
  std::uint64_t data_offset = 0;
  std::optional<Bounds> bounds;
};

// Appends the description of a row group, which starts at `offset`, to `groups`.
void AppendRowGroup(std::span<const Column> columns, std::span<const ChunkInfo> chunks,
                    std::uint64_t offset, std::size_t row_count, std::string& out);

// Encodes the footer. `groups` contains the `group_count` descriptions that AppendRowGroup
// appended.
std::string EncodeFooter(std::span<const Column> columns, std::uint64_t row_count,
                         std::size_t group_count, std::string_view groups);

}  // namespace cboard::parquet
