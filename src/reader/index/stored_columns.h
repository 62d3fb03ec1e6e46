// The columns of one stored index, which are read and checked when a point is first requested.
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

  // The memory of `columns`, which is a part of the source's memory.
  virtual MutableByteSpan Room(ByteSpan columns) const = 0;

  // Reads the bytes of `columns` into memory. False if the file has become shorter.
  virtual bool Fetch(ByteSpan columns) const = 0;

  // Called if the loaded bytes differ from the stored ones.
  virtual void NoteDamage() const = 0;
};

// The location of an encoded index.
struct EncodedView {
  ByteSpan structure;
  ByteSpan columns;
  const ColumnSource* source = nullptr;  // nullptr: the columns are in memory.
};

// Bytes become visible only after they were checked: the checksum is computed over a private copy,
// which other programs cannot change. Damaged points are read from the event file again. All
// methods may be called from any thread.
class StoredColumns {
 public:
  // The memory that `encoded` refers to must outlive this object.
  StoredColumns(std::string path, const EncodedView& encoded, std::uint32_t crc)
      : encoded_(encoded),
        crc_(crc),
        is_ready_(encoded.source == nullptr),
        path_(std::move(path)) {}

  // Must be called before the columns are read. After it, they contain the stored bytes, or the
  // points from the event file if the stored bytes are damaged. If the event file is missing too,
  // values are NaN.
  void Require() const {
    if (!is_ready_.load(std::memory_order_acquire)) MakeReady();
  }

  // Whether the columns equal those that were stored.
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
