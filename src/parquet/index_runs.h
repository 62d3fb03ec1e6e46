// Encodes dictionary indices as in Parquet ("RLE/bit-packing hybrid"): a repeated index is stored
// once with its count, other indices in bit-packed groups of eight.
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

// The number of bits that an index below `dictionary_size` needs; at least 1, because some readers
// do not accept 0.
int BitsPerIndex(std::size_t dictionary_size);

// Encodes the indices of `runs`, each below 2^bits. The last group of eight is padded with zeros;
// readers know the number of values.
std::string EncodeIndices(std::span<const IndexRun> runs, int bits);

}  // namespace cboard::parquet
