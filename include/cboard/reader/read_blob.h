// Reads the bytes of an index entry from the event file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// The serialized bytes of a value: a Summary.Value, GraphDef, MetaGraphDef or RunMetadata,
// depending on the kind of its tag.
struct Blob {
  BlobEntry entry;
  std::string bytes;
};

// Reads the record, checks both checksums, and extracts the value. Fails with kNotFound if the
// file was deleted, and with kDataLoss if the file has changed; a newer snapshot will then
// follow.
Result<Blob> ReadBlob(const Run& run, const BlobEntry& entry);

// Reads several values in the given order; opens each file once.
Result<std::vector<Blob>> ReadBlobs(const Run& run, const std::vector<BlobEntry>& entries);

}  // namespace cboard::reader
