#include "reader/index/blob_column.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "cboard/base/check.h"

namespace cboard::reader {
namespace {

constexpr std::uint64_t kMidStep = std::uint64_t{1} << 31;
constexpr std::uint64_t kMidWall = std::uint64_t{1} << 47;

// Converts a blob to the short form. Returns nullopt if the blob does not fit into a ShortBlob.
std::optional<ShortBlob> Shortened(const StoredBlob& blob, const BlobBase& base) {
  const std::uint64_t step =
      static_cast<std::uint64_t>(blob.step) - static_cast<std::uint64_t>(base.step) + kMidStep;
  const std::uint64_t wall =
      std::bit_cast<std::uint64_t>(blob.wall_time_seconds) - base.wall_bits + kMidWall;
  if (step >> 32 != 0 || wall >> 48 != 0 || blob.record_offset >> 48 != 0) return std::nullopt;
  return ShortBlob{.step = static_cast<std::uint32_t>(step),
                   .wall_low = static_cast<std::uint32_t>(wall),
                   .offset_low = static_cast<std::uint32_t>(blob.record_offset),
                   .wall_high = static_cast<std::uint16_t>(wall >> 32),
                   .offset_high = static_cast<std::uint16_t>(blob.record_offset >> 32),
                   .record_bytes = blob.record_bytes,
                   .value_offset = blob.value_offset,
                   .value_bytes = blob.value_bytes};
}

StoredBlob Restored(const ShortBlob& blob, const BlobBase& base) {
  const std::uint64_t step = static_cast<std::uint64_t>(base.step) + blob.step - kMidStep;
  const std::uint64_t wall =
      base.wall_bits + (std::uint64_t{blob.wall_high} << 32 | blob.wall_low) - kMidWall;
  return {.step = static_cast<std::int64_t>(step),
          .wall_time_seconds = std::bit_cast<double>(wall),
          .record_offset = std::uint64_t{blob.offset_high} << 32 | blob.offset_low,
          .record_bytes = blob.record_bytes,
          .value_offset = blob.value_offset,
          .value_bytes = blob.value_bytes};
}

template <typename T>
T LoadMember(const std::byte* blobs, std::size_t index) {
  T blob;
  std::memcpy(&blob, blobs + index * sizeof blob, sizeof blob);
  return blob;
}

}  // namespace

StoredBlob ToStored(const BlobEntry& entry) {
  return {.step = entry.step,
          .wall_time_seconds = entry.wall_time_seconds,
          .record_offset = entry.record_offset,
          .record_bytes = entry.record_bytes,
          .value_offset = entry.value_offset,
          .value_bytes = entry.value_bytes};
}

BlobEntry BlobColumnView::at(std::size_t index) const {
  CBOARD_CHECK(index < size_);
  if (stored_ != nullptr) stored_->Require();
  index += first_;
  const BlobBlock* block =
      std::upper_bound(blocks_, blocks_ + block_count_, index,
                       [](std::size_t i, const BlobBlock& b) { return i < b.first_index; }) -
      1;
  const std::size_t member = index - block->first_index;
  const StoredBlob blob = block->base != nullptr
                              ? Restored(LoadMember<ShortBlob>(block->blobs, member), *block->base)
                              : LoadMember<StoredBlob>(block->blobs, member);
  return {.step = blob.step,
          .wall_time_seconds = blob.wall_time_seconds,
          .file = file_,
          .record_bytes = blob.record_bytes,
          .record_offset = blob.record_offset,
          .value_offset = blob.value_offset,
          .value_bytes = blob.value_bytes};
}

BlobColumnView BlobColumnView::Slice(std::size_t first, std::size_t count) const {
  CBOARD_CHECK(first <= size_ && count <= size_ - first);
  BlobColumnView slice = *this;
  slice.first_ += first;
  slice.size_ = count;
  return slice;
}

BlobColumnView BlobColumnView::WithFile(std::uint32_t file) const {
  BlobColumnView view = *this;
  view.file_ = file;
  return view;
}

void BlobColumn::Append(const StoredBlob& blob) {
  if (base_ == nullptr) {
    base_ = new (arena_->Allocate(sizeof(BlobBase)))
        BlobBase{blob.step, std::bit_cast<std::uint64_t>(blob.wall_time_seconds)};
  }
  std::optional<ShortBlob> shortened;
  if (!has_long_) {
    shortened = Shortened(blob, *base_);
    if (!shortened) {
      has_long_ = true;
      open_capacity_ = open_size_;  // The last block is full from now on.
    }
  }
  if (open_size_ == open_capacity_) OpenBlock();
  if (shortened) {
    std::memcpy(open_ + open_size_ * sizeof(ShortBlob), &*shortened, sizeof(ShortBlob));
  } else {
    std::memcpy(open_ + open_size_ * sizeof(StoredBlob), &blob, sizeof(StoredBlob));
  }
  ++open_size_;
  ++size_;
}

void BlobColumn::OpenBlock() {
  // The size of a new block is proportional to the size of the column, so that both the unused
  // space and the list of blocks stay small.
  open_capacity_ = std::clamp<std::size_t>(size_ / 4, 2, 256);
  open_ = arena_->Allocate(open_capacity_ * (has_long_ ? sizeof(StoredBlob) : sizeof(ShortBlob)));
  open_size_ = 0;
  blocks_.Append({size_, open_, has_long_ ? nullptr : base_}, *arena_);
}

void BlobColumn::Adopt(const BlobColumnView& stored) {
  CBOARD_CHECK(size_ == 0 && stored.first_ == 0);
  for (std::size_t i = 0; i < stored.block_count_; ++i) blocks_.Append(stored.blocks_[i], *arena_);
  size_ = stored.size_;
}

}  // namespace cboard::reader
