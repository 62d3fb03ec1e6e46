// Positions of the values of one tag in one file, 28 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cboard/reader/series.h"
#include "reader/index/arena.h"
#include "reader/index/block_list.h"
#include "reader/index/stored_columns.h"

namespace cboard::reader {

// A BlobEntry without the file, which the column does not know.
struct StoredBlob {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  std::uint64_t record_offset = 0;
  std::uint32_t record_bytes = 0;
  std::uint32_t value_offset = 0;
  std::uint32_t value_bytes = 0;
  std::uint32_t reserved = 0;  // No padding, so that columns can be stored as they are.
};
static_assert(sizeof(StoredBlob) == 40);

StoredBlob ToStored(const BlobEntry& entry);

// Base values of a ShortBlob's step and wall time: those of the column's first blob.
struct BlobBase {
  std::int64_t step = 0;
  std::uint64_t wall_bits = 0;
};

// A StoredBlob in fewer bytes, so that less fresh memory is touched while a file is read: a step
// within 2^31 of the base, a time within 2^47 of its smallest parts (a year at today's times), an
// offset below 2^48. Those of real logs fit.
struct ShortBlob {
  std::uint32_t step = 0;
  std::uint32_t wall_low = 0;
  std::uint32_t offset_low = 0;
  std::uint16_t wall_high = 0;
  std::uint16_t offset_high = 0;
  std::uint32_t record_bytes = 0;
  std::uint32_t value_offset = 0;
  std::uint32_t value_bytes = 0;
};
static_assert(sizeof(ShortBlob) == 28);

struct BlobBlock {
  std::uint64_t first_index = 0;
  const std::byte* blobs = nullptr;  // Not always aligned: stored ones are copied out.
  const BlobBase* base = nullptr;    // For ShortBlobs; nullptr for StoredBlobs.
};

// A column as it was at one moment. Never changes, cheap to copy, readable from any thread, valid
// after the column is gone.
class BlobColumnView {
 public:
  BlobColumnView() = default;
  // `stored`, kept alive by `owner`, provides the bytes; if it is nullptr, they are already in
  // memory.
  BlobColumnView(std::shared_ptr<const void> owner, const BlobBlock* blocks,
                 std::size_t block_count, std::size_t size, const StoredColumns* stored = nullptr)
      : owner_(std::move(owner)),
        stored_(stored),
        blocks_(blocks),
        block_count_(block_count),
        size_(size) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  BlobEntry at(std::size_t index) const;  // `index` must be below size().

  // `count` entries from `first` on, which must be there.
  BlobColumnView Slice(std::size_t first, std::size_t count) const;

  // The same with `file` in all entries: the index of the file in its run.
  BlobColumnView WithFile(std::uint32_t file) const;

 private:
  friend class BlobColumn;

  std::shared_ptr<const void> owner_;
  const StoredColumns* stored_ = nullptr;
  const BlobBlock* blocks_ = nullptr;
  std::size_t block_count_ = 0;
  std::size_t first_ = 0;  // Where this view begins in the column.
  std::size_t size_ = 0;
  std::uint32_t file_ = 0;
};

// Grows by one thread; views of it are read by others meanwhile. Borrows the arena.
class BlobColumn {
 public:
  explicit BlobColumn(Arena& arena) : arena_(&arena) {}

  void Append(const StoredBlob& blob);

  // Begins with the blobs of a stored column, used in place: the arena must keep their owner alive.
  // Only before the first Append.
  void Adopt(const BlobColumnView& stored);

  std::size_t size() const { return size_; }

  // Prefetches the memory for the blob that will be appended next.
  void PrefetchRoom() const { __builtin_prefetch(open_ + open_size_ * sizeof(ShortBlob), 1); }

  // `owner` keeps the arena alive as long as the view.
  BlobColumnView View(const std::shared_ptr<const Arena>& owner) const {
    return {owner, blocks_.data(), blocks_.size(), size_};
  }

 private:
  void OpenBlock();

  Arena* arena_;
  BlockList<BlobBlock> blocks_;
  BlobBase* base_ = nullptr;   // Since the first blob came.
  bool has_long_ = false;      // A blob came that is no ShortBlob: no later block has them.
  std::byte* open_ = nullptr;  // The last block, if there is room in it.
  std::size_t open_size_ = 0;
  std::size_t open_capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace cboard::reader
