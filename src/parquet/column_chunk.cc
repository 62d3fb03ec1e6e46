#include "parquet/column_chunk.h"

#include <libdeflate.h>

#include <optional>
#include <utility>

#include "base/gzip.h"

namespace cboard::parquet {

ColumnChunk MakeColumnChunk(ColumnType type, ChunkContent content) {
  const bool has_dictionary = content.dictionary_count > 0;
  // Compresses all pages or none, because all pages of a chunk must have the same codec.
  const std::optional<std::string> packed_values = Gzip(content.values);
  const std::optional<std::string> packed_dictionary =
      has_dictionary && packed_values ? Gzip(content.dictionary) : std::nullopt;
  const bool is_packed = packed_values && has_dictionary == packed_dictionary.has_value();

  ColumnChunk chunk{.info = {.codec = is_packed ? Codec::kGzip : Codec::kNone,
                             .value_count = content.value_count,
                             .bounds = std::move(content.bounds)}};
  const auto add_page = [&](PageType page, std::size_t value_count, const std::string& plain,
                            const std::optional<std::string>& packed) {
    const std::string& stored = is_packed ? *packed : plain;
    const std::string header =
        EncodePageHeader({.type = page,
                          .column = type,
                          .value_count = value_count,
                          .plain_bytes = plain.size(),
                          .stored_bytes = stored.size(),
                          .crc32 = ::libdeflate_crc32(0, stored.data(), stored.size())});
    chunk.info.plain_bytes += header.size() + plain.size();
    chunk.bytes += header;
    chunk.bytes += stored;
  };
  if (has_dictionary) {
    chunk.info.dictionary_offset = 0;
    add_page(PageType::kDictionary, content.dictionary_count, content.dictionary,
             packed_dictionary);
  }
  chunk.info.data_offset = chunk.bytes.size();
  add_page(PageType::kData, content.value_count, content.values, packed_values);
  chunk.info.stored_bytes = chunk.bytes.size();
  return chunk;
}

}  // namespace cboard::parquet
