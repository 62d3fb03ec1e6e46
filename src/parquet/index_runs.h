// Indices into a dictionary as Parquet stores them ("RLE/bit-packing hybrid"): a value that repeats
// is stored once with its count, and the others in groups of eight of a few bits each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cboard::parquet {

// So many times the same index.
struct IndexRun {
  std::uint32_t index = 0;
  std::size_t count = 0;
};

// The bits that every index below `dictionary_size` fits into; at least 1, for not every reader
// takes 0.
int BitsPerIndex(std::size_t dictionary_size);

// The indices of `runs`, each below 2^bits. The last group of eight is filled up with zeros:
// readers know how many values there are.
std::string EncodeIndices(std::span<const IndexRun> runs, int bits);

}  // namespace cboard::parquet
