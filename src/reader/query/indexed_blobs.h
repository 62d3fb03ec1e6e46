// The values of a tag by their place in it.
#pragma once

#include <functional>
#include <span>

#include "cboard/reader/read_blob.h"

namespace cboard::reader {

// Reads the values of `tag` with these indices, in the order given, and lets `use` have each. One
// value is in memory at a time. Fails with kInvalidArgument when an index is beyond the end, as
// ReadBlob does, and with what `use` returns; the message names run, tag and step.
Result<void> ForEachBlob(const Run& run, const Tag& tag, std::span<const std::size_t> indices,
                         const std::function<Result<void>(const Blob&)>& use);

}  // namespace cboard::reader
