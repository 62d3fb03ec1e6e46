// Metadata of a Parquet file: a header before every page, and a footer. The numbers of fields and
// enumerations are those of Parquet's parquet.thrift.
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

// A data page; texts are indices of a dictionary.
struct PageInfo {
  PageType type = PageType::kData;
  ColumnType column = ColumnType::kDouble;
  std::size_t value_count = 0;
  std::size_t plain_bytes = 0;   // Before compression.
  std::size_t stored_bytes = 0;  // After it.
  std::uint32_t crc32 = 0;       // CRC-32 of the stored bytes.
};

std::string EncodePageHeader(const PageInfo& page);

// The pages of a column in a row group.
struct ChunkInfo {
  Codec codec = Codec::kNone;
  std::size_t value_count = 0;
  std::uint64_t plain_bytes = 0;   // Headers of pages included.
  std::uint64_t stored_bytes = 0;  // Likewise.
  std::optional<std::uint64_t> dictionary_offset;
  std::uint64_t data_offset = 0;
  std::optional<Bounds> bounds;
};

// Appends the description of a row group, which begins at `offset`, to those of the ones before it.
void AppendRowGroup(std::span<const Column> columns, std::span<const ChunkInfo> chunks,
                    std::uint64_t offset, std::size_t row_count, std::string& out);

// `groups` is what AppendRowGroup has appended `group_count` times.
std::string EncodeFooter(std::span<const Column> columns, std::uint64_t row_count,
                         std::size_t group_count, std::string_view groups);

}  // namespace cboard::parquet
