#include "parquet/index_runs.h"

#include <algorithm>
#include <bit>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>
#include <utility>
#include <vector>

namespace cboard::parquet {
namespace {

constexpr std::size_t kGroup = 8;

class IndexEncoder {
 public:
  explicit IndexEncoder(int bits) : bits_(bits) {}

  void Append(IndexRun run) {
    // Completes the current group of eight indices first, because only the last group may be
    // incomplete.
    const std::size_t missing = (kGroup - packed_.size() % kGroup) % kGroup;
    const std::size_t taken = std::min(run.count, missing);
    packed_.insert(packed_.end(), taken, run.index);
    run.count -= taken;
    if (run.count < kGroup) {
      packed_.insert(packed_.end(), run.count, run.index);
      return;
    }
    FlushPacked();
    protozero::add_varint_to_buffer(&out_, std::uint64_t{run.count} << 1);
    for (int shift = 0; shift < bits_; shift += 8) {
      out_ += static_cast<char>(run.index >> shift & 0xff);
    }
  }

  std::string Take() {
    FlushPacked();
    return std::move(out_);
  }

 private:
  void FlushPacked() {
    if (packed_.empty()) return;
    const std::size_t groups = (packed_.size() + kGroup - 1) / kGroup;
    packed_.resize(groups * kGroup);
    protozero::add_varint_to_buffer(&out_, std::uint64_t{groups} << 1 | 1);
    std::uint64_t pending = 0;  // Eight indices of any bit width fill whole bytes.
    int pending_bits = 0;
    for (const std::uint32_t index : packed_) {
      pending |= std::uint64_t{index} << pending_bits;
      for (pending_bits += bits_; pending_bits >= 8; pending_bits -= 8, pending >>= 8) {
        out_ += static_cast<char>(pending & 0xff);
      }
    }
    packed_.clear();
  }

  const int bits_;
  std::string out_;
  std::vector<std::uint32_t> packed_;  // Indices that are not yet in `out_`.
};

}  // namespace

int BitsPerIndex(std::size_t dictionary_size) {
  return std::max(1, static_cast<int>(std::bit_width(dictionary_size - (dictionary_size > 0))));
}

std::string EncodeIndices(std::span<const IndexRun> runs, int bits) {
  IndexEncoder encoder(bits);
  for (const IndexRun& run : runs) encoder.Append(run);
  return encoder.Take();
}

}  // namespace cboard::parquet
