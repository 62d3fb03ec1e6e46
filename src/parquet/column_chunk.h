// The pages of a column in a row group, as they stand in the file.
#pragma once

#include <string>

#include "parquet/column_values.h"
#include "parquet/metadata.h"

namespace cboard::parquet {

struct ColumnChunk {
  std::string bytes;
  ChunkInfo info;  // Places count from the start of `bytes`.
};

// One data page, after a dictionary if there is one. In gzip when that makes all of them smaller.
ColumnChunk MakeColumnChunk(ColumnType type, ChunkContent content);

}  // namespace cboard::parquet
