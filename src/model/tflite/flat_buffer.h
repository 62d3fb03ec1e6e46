// FlatBuffers, read in place and checked at every step.
//
//   FlatBuffer buffer(bytes);
//   const FlatTable root = buffer.Root();
//   for (const FlatTable& tensor : root.Tables(0)) tensor.Text(3);
//   if (buffer.is_damaged()) …
//
// A table's first four bytes lead back to its list of fields (vtable); a field that is not in the
// list has its default. A pointer outside the file reads as a missing value and marks the buffer as
// damaged: readers stay simple, and check once at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "cboard/base/bytes.h"

namespace cboard::model {

class FlatTable;

// Borrows the bytes. Not thread-safe, because it remembers damage.
class FlatBuffer {
 public:
  explicit FlatBuffer(ByteSpan bytes) : bytes_(bytes) {}

  FlatTable Root();

  bool is_damaged() const { return is_damaged_; }
  // The offset at which something pointed out of the file first.
  std::size_t damage_offset() const { return damage_offset_; }

 private:
  friend class FlatTable;

  // A T at `offset`; 0 and damage when the file ends before.
  template <typename T>
  T Load(std::size_t offset) {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) {
      Damage(offset);
      return T{};
    }
    return LoadLittleEndian<T>(bytes_.subspan(offset));
  }

  void Damage(std::size_t offset) {
    if (!is_damaged_) damage_offset_ = offset;
    is_damaged_ = true;
  }

  ByteSpan bytes_;
  bool is_damaged_ = false;
  std::size_t damage_offset_ = 0;
};

class FlatTable {
 public:
  FlatTable() = default;  // A table that is not there: all fields have their defaults.
  FlatTable(FlatBuffer& buffer, std::size_t position);

  bool exists() const { return buffer_ != nullptr; }
  bool Has(std::size_t field) const { return FieldAt(field) != 0; }

  template <typename T>
  T Number(std::size_t field, T otherwise = T{}) const {
    const std::size_t at = FieldAt(field);
    return at == 0 ? otherwise : buffer_->Load<T>(at);
  }

  FlatTable Table(std::size_t field) const;
  std::vector<FlatTable> Tables(std::size_t field) const;
  std::string_view Text(std::size_t field) const;
  // The bytes of a vector of numbers; whole elements of `element_bytes` each.
  ByteSpan Vector(std::size_t field, std::size_t element_bytes) const;

  template <typename T>
  std::vector<T> Numbers(std::size_t field) const {
    const ByteSpan bytes = Vector(field, sizeof(T));
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

 private:
  // The position of a field's value; 0 when the table does not have it.
  std::size_t FieldAt(std::size_t field) const;
  // Follows the offset stored at `at`.
  std::size_t Follow(std::size_t at) const;

  FlatBuffer* buffer_ = nullptr;
  std::size_t position_ = 0;
  std::size_t fields_ = 0;      // Where the vtable is…
  std::size_t fields_end_ = 0;  // …and ends.
};

}  // namespace cboard::model
