// Encodes the pages of one column in one row group.
#pragma once

#include <string>

#include "parquet/column_values.h"
#include "parquet/metadata.h"

namespace cboard::parquet {

struct ColumnChunk {
  std::string bytes;
  ChunkInfo info;  // Offsets are relative to the start of `bytes`.
};

// Encodes one data page. If there is a dictionary, writes a dictionary page before it. Pages are
// gzip-compressed if this makes all of them smaller.
ColumnChunk MakeColumnChunk(ColumnType type, ChunkContent content);

}  // namespace cboard::parquet
