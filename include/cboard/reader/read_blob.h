// Reads the bytes of a value from its event file. An index entry gives the position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// The serialized bytes of a value. They are a Summary.Value, GraphDef, MetaGraphDef or RunMetadata,
// depending on the kind of the tag.
struct Blob {
  BlobEntry entry;
  std::string bytes;
};

// Reads the record of an index entry, verifies both checksums, and extracts the value. Fails with
// kNotFound if the file was deleted, and with kDataLoss if the file has changed; in both cases a
// newer snapshot follows.
Result<Blob> ReadBlob(const Run& run, const BlobEntry& entry);

// Reads several values in the given order. Opens each file only once.
Result<std::vector<Blob>> ReadBlobs(const Run& run, const std::vector<BlobEntry>& entries);

}  // namespace cboard::reader
