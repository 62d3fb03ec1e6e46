// The columns of one stored index: read and checked when a point is first requested.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "cboard/base/bytes.h"

namespace cboard::reader {

// Source of the columns of stored indexes. May be called from any thread.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;

  // The memory of `columns`, a part of the memory from the source.
  virtual MutableByteSpan Room(ByteSpan columns) const = 0;

  // Reads the bytes of `columns` into memory. False if there are fewer bytes than before.
  virtual bool Fetch(ByteSpan columns) const = 0;

  // Called if the fetched bytes differ from the stored ones.
  virtual void NoteDamage() const = 0;
};

// An index where it lies.
struct EncodedView {
  ByteSpan structure;
  ByteSpan columns;
  const ColumnSource* source = nullptr;  // nullptr: the columns are in memory.
};

// Bytes are not visible before they are checked: the checksum is computed over a private copy,
// which other programs cannot change. Lost points are read from the event file again. All methods
// may be called from any thread.
class StoredColumns {
 public:
  // The memory that `encoded` refers to must outlive this object.
  StoredColumns(std::string path, const EncodedView& encoded, std::uint32_t crc)
      : encoded_(encoded),
        crc_(crc),
        is_ready_(encoded.source == nullptr),
        path_(std::move(path)) {}

  // Must be called before the columns are read: afterwards they hold the stored bytes, or the
  // points of the event file. If that is missing too, values are NaN.
  void Require() const {
    if (!is_ready_.load(std::memory_order_acquire)) MakeReady();
  }

  // Whether the columns are those that were stored.
  bool Verify() const;

  // After the event file has got another name.
  void Rename(std::string path);

 private:
  enum class State { kNotFetched, kRight, kWrong };

  void MakeReady() const;
  State FetchLocked() const;

  const EncodedView encoded_;
  const std::uint32_t crc_;
  mutable std::atomic<bool> is_ready_;
  mutable std::mutex mutex_;  // Guards the following.
  mutable State state_ = State::kNotFetched;
  std::string path_;
};

}  // namespace cboard::reader
