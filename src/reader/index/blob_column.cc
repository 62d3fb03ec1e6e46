#include "reader/index/blob_column.h"

#include <algorithm>
#include <cstring>

#include "cboard/base/check.h"

namespace cboard::reader {

BlobEntry BlobColumnView::at(std::size_t index) const {
  CBOARD_CHECK(index < size_);
  index += first_;
  const BlobBlock* block =
      std::upper_bound(blocks_, blocks_ + block_count_, index,
                       [](std::size_t i, const BlobBlock& b) { return i < b.first_index; }) -
      1;
  StoredBlob blob;
  const auto* bytes = reinterpret_cast<const std::byte*>(block->blobs);
  std::memcpy(&blob, bytes + (index - block->first_index) * sizeof blob, sizeof blob);
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
  if (open_size_ == open_capacity_) {
    // In proportion to what is there: spare room and block list stay a fraction of the entries.
    open_capacity_ = std::clamp<std::size_t>(size_ / 4, 2, 256);
    open_ = reinterpret_cast<StoredBlob*>(arena_->Allocate(open_capacity_ * sizeof(StoredBlob)));
    open_size_ = 0;
    blocks_.Append({size_, open_}, *arena_);
  }
  new (&open_[open_size_]) StoredBlob(blob);
  ++open_size_;
  ++size_;
}

void BlobColumn::Adopt(const BlobColumnView& stored) {
  CBOARD_CHECK(size_ == 0 && stored.first_ == 0);
  for (std::size_t i = 0; i < stored.block_count_; ++i) blocks_.Append(stored.blocks_[i], *arena_);
  size_ = stored.size_;
}

}  // namespace cboard::reader
