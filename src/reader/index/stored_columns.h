// The columns of one stored index. They are read and checked when a point is requested for the
// first time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "cboard/base/bytes.h"

namespace cboard::reader {

// Source of the columns of stored indexes. All methods may be called from any thread.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;

  // Returns the memory for `columns`, which is a part of the memory of the source.
  virtual MutableByteSpan Room(ByteSpan columns) const = 0;

  // Reads the bytes of `columns` into memory. Returns false if the file has become shorter.
  virtual bool Fetch(ByteSpan columns) const = 0;

  // Called if the bytes in memory differ from the bytes that were stored.
  virtual void NoteDamage() const = 0;
};

// The positions of the two parts of an encoded index.
struct EncodedView {
  ByteSpan structure;
  ByteSpan columns;
  const ColumnSource* source = nullptr;  // nullptr: the columns are in memory.
};

// The columns of a stored index. They become visible only after they were checked: the checksum is
// computed over a private copy, which other programs cannot change. If they are damaged, the points
// are read from the event file again. All methods may be called from any thread.
class StoredColumns {
 public:
  // Creates an object that refers to the memory of `encoded`, which must live longer.
  StoredColumns(std::string path, const EncodedView& encoded, std::uint32_t crc)
      : encoded_(encoded),
        crc_(crc),
        is_ready_(encoded.source == nullptr),
        path_(std::move(path)) {}

  // Loads the columns. Must be called before they are read. Afterwards they contain the stored
  // bytes. If the stored bytes are damaged, they contain the points of the event file; if that is
  // missing too, the values are NaN.
  void Require() const {
    if (!is_ready_.load(std::memory_order_acquire)) MakeReady();
  }

  // True if the columns equal the columns that were stored.
  bool Verify() const;

  // Sets the path after the event file was renamed.
  void Rename(std::string path);

 private:
  enum class State { kNotFetched, kRight, kWrong };

  void MakeReady() const;
  State FetchLocked() const;

  const EncodedView encoded_;
  const std::uint32_t crc_;
  mutable std::atomic<bool> is_ready_;
  mutable std::mutex mutex_;  // Protects the following members.
  mutable State state_ = State::kNotFetched;
  std::string path_;
};

}  // namespace cboard::reader
