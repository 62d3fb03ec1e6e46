// The columns of one stored index: fetched, and checked, when somebody first asks for a point.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "cboard/base/bytes.h"

namespace cboard::reader {

// Where the columns of stored indexes come from. May be called from any thread.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;

  // The memory of `columns`, a piece of what the source has given out.
  virtual MutableByteSpan Room(ByteSpan columns) const = 0;

  // Brings the bytes of `columns` into memory. False if there are not as many as there were.
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

// Nobody sees bytes that have not been checked: the checksum is that of bytes in memory of our own,
// which other programs cannot change. Points that the store has lost are taken from the event file.
//
// All methods may be called from any thread.
class StoredColumns {
 public:
  // The memory that `encoded` refers to must outlive this object.
  StoredColumns(std::string path, const EncodedView& encoded, std::uint32_t crc)
      : encoded_(encoded),
        crc_(crc),
        is_ready_(encoded.source == nullptr),
        path_(std::move(path)) {}

  // To be called before bytes of the columns are looked at: afterwards they are those that were
  // stored, or made again from the event file. If that is gone, too, values are NaN.
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
