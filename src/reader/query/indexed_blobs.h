// Reads the values of a tag by their indices.
#pragma once

#include <functional>
#include <span>

#include "cboard/reader/read_blob.h"

namespace cboard::reader {

// Reads the values of `tag` at the given indices, in the given order, and calls `use` with each
// value. Only one value is in memory at a time. Fails with kInvalidArgument if an index is too
// large, with the errors of ReadBlob(), and with the errors of `use`. The message names run, tag
// and step.
Result<void> ForEachBlob(const Run& run, const Tag& tag, std::span<const std::size_t> indices,
                         const std::function<Result<void>(const Blob&)>& use);

}  // namespace cboard::reader
