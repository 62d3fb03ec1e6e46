// Fetches the bytes that an index entry points to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// A value as it lies in the file: the serialized Summary.Value, GraphDef, MetaGraphDef or
// RunMetadata, by the kind of its tag.
struct Blob {
  BlobEntry entry;
  std::string bytes;
};

// Reads the record, checks both checksums, and cuts out the value. Fails with kNotFound when the
// file is gone, and kDataLoss when it holds something else by now: then a newer snapshot is on its
// way.
Result<Blob> ReadBlob(const Run& run, const BlobEntry& entry);

// Reads many, in the order given, each file opened once.
Result<std::vector<Blob>> ReadBlobs(const Run& run, const std::vector<BlobEntry>& entries);

}  // namespace cboard::reader
