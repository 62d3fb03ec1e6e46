// Copies the points of short columns into memory of their exact size.
//
// A column grows in blocks whose size is an estimate. If a log directory has ten thousand files
// that never grow again, the unused space and the headers of the blocks take more memory than the
// points.
#pragma once

#include <cstddef>
#include <span>

#include "reader/index/scalar_column.h"

namespace cboard::reader {

// Replaces each column by a copy of its points. The copies do not use the memory of the old
// columns. Returns the size of the new memory in bytes.
std::size_t PackColumns(std::span<ScalarColumnView> columns);

}  // namespace cboard::reader
