// Encodes the pages of a column in a row group.
#pragma once

#include <string>

#include "parquet/column_values.h"
#include "parquet/metadata.h"

namespace cboard::parquet {

struct ColumnChunk {
  std::string bytes;
  ChunkInfo info;  // Offsets are relative to the start of `bytes`.
};

// Encodes one data page, after a dictionary page if there is one. Pages are gzip-compressed if that
// makes all of them smaller.
ColumnChunk MakeColumnChunk(ColumnType type, ChunkContent content);

}  // namespace cboard::parquet
