// The positions of the values of one tag in one file. A position takes 28 bytes.
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

// A BlobEntry without the index of the file, because the column does not know this index.
struct StoredBlob {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  std::uint64_t record_offset = 0;
  std::uint32_t record_bytes = 0;
  std::uint32_t value_offset = 0;
  std::uint32_t value_bytes = 0;
  std::uint32_t reserved = 0;  // Without padding, so that columns can be stored as raw bytes.
};
static_assert(sizeof(StoredBlob) == 40);

StoredBlob ToStored(const BlobEntry& entry);

// The base values for the steps and wall times of ShortBlobs. They are those of the column's first
// blob.
struct BlobBase {
  std::int64_t step = 0;
  std::uint64_t wall_bits = 0;
};

// A StoredBlob in fewer bytes, so that reading a file needs less fresh memory. The step is within
// 2^31 of the base step. The wall time is within 2^47 units in the last place of the base wall
// time, about a year. The offset is below 2^48. The values of real logs fit.
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
  const std::byte* blobs = nullptr;  // Stored bytes are not always aligned, so the entry is copied.
  const BlobBase* base = nullptr;    // Only for ShortBlobs; nullptr for StoredBlobs.
};

// An immutable view of a column at one moment. It is cheap to copy, any thread may read it, and it
// is valid after the column is destroyed.
class BlobColumnView {
 public:
  BlobColumnView() = default;
  // Creates a view of stored entries. `owner` keeps `stored` alive, and `stored` loads the bytes.
  // If `stored` is null, the bytes are already in memory.
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

  // Returns a view of `count` entries from `first` on. This view must contain them.
  BlobColumnView Slice(std::size_t first, std::size_t count) const;

  // Returns a view of the same entries. In all entries, `file` is the index of the file in its run.
  BlobColumnView WithFile(std::uint32_t file) const;

 private:
  friend class BlobColumn;

  std::shared_ptr<const void> owner_;
  const StoredColumns* stored_ = nullptr;
  const BlobBlock* blocks_ = nullptr;
  std::size_t block_count_ = 0;
  std::size_t first_ = 0;  // The position of this view in the column.
  std::size_t size_ = 0;
  std::uint32_t file_ = 0;
};

// A column that one thread appends to while other threads read views of it. It borrows the arena.
class BlobColumn {
 public:
  explicit BlobColumn(Arena& arena) : arena_(&arena) {}

  void Append(const StoredBlob& blob);

  // Starts the column with the blobs of a stored column, without copying them; the arena must keep
  // their owner alive. Call it only before the first Append().
  void Adopt(const BlobColumnView& stored);

  std::size_t size() const { return size_; }

  // Prefetches the memory where the next blob will be appended.
  void PrefetchRoom() const { __builtin_prefetch(open_ + open_size_ * sizeof(ShortBlob), 1); }

  // Returns a view of the blobs appended so far. `owner` must keep the arena alive; the view keeps
  // `owner` alive.
  BlobColumnView View(const std::shared_ptr<const Arena>& owner) const {
    return {owner, blocks_.data(), blocks_.size(), size_};
  }

 private:
  void OpenBlock();

  Arena* arena_;
  BlockList<BlobBlock> blocks_;
  BlobBase* base_ = nullptr;  // Set when the first blob is appended.
  // True if a blob did not fit into a ShortBlob. All later blocks then contain StoredBlobs.
  bool has_long_ = false;
  std::byte* open_ = nullptr;  // The last block, if it has space.
  std::size_t open_size_ = 0;
  std::size_t open_capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace cboard::reader
