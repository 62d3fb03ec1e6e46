// Encodes dictionary indices in Parquet's format "RLE/bit-packing hybrid". An index that repeats is
// stored once with its count; other indices are stored in bit-packed groups of eight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cboard::parquet {

// An index and the number of its consecutive repetitions.
struct IndexRun {
  std::uint32_t index = 0;
  std::size_t count = 0;
};

// Returns the number of bits for an index below `dictionary_size`. It is at least 1, because some
// readers do not accept 0.
int BitsPerIndex(std::size_t dictionary_size);

// Encodes the indices of `runs`. Each index is below 2^bits. The last group of eight is padded with
// zeros, which is correct because readers know the number of values.
std::string EncodeIndices(std::span<const IndexRun> runs, int bits);

}  // namespace cboard::parquet
