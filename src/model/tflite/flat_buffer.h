// Reads FlatBuffers without a copy and checks every access.
//
//   FlatBuffer buffer(bytes);
//   const FlatTable root = buffer.Root();
//   for (const FlatTable& tensor : root.Tables(0)) tensor.Text(3);
//   if (buffer.is_damaged()) …
//
// The first four bytes of a table are the offset of its list of fields (vtable). If a field is not
// in the list, its value is the default. If an offset points outside the file, the reader returns
// the value of a missing field and marks the buffer as damaged. Code that reads a file stays
// simple, because it checks for damage only once at the end.
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

// Reads a FlatBuffer. Borrows its bytes. Not thread-safe, because reading may record damage.
class FlatBuffer {
 public:
  explicit FlatBuffer(ByteSpan bytes) : bytes_(bytes) {}

  FlatTable Root();

  bool is_damaged() const { return is_damaged_; }
  // Returns the position of the first offset that points outside the file.
  std::size_t damage_offset() const { return damage_offset_; }

 private:
  friend class FlatTable;

  // Reads a number of type T at `offset`. If the file is too short, returns 0 and records damage.
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
  FlatTable() = default;  // A missing table: all fields have their defaults.
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
  // Returns the bytes of a vector of numbers. A number has `element_bytes` bytes; incomplete
  // numbers are not included.
  ByteSpan Vector(std::size_t field, std::size_t element_bytes) const;

  template <typename T>
  std::vector<T> Numbers(std::size_t field) const {
    const ByteSpan bytes = Vector(field, sizeof(T));
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

 private:
  // Returns the position of a field's value, or 0 if the table does not have the field.
  std::size_t FieldAt(std::size_t field) const;
  // Reads the offset at position `at`, and returns the position to which it points.
  std::size_t Follow(std::size_t at) const;

  FlatBuffer* buffer_ = nullptr;
  std::size_t position_ = 0;
  std::size_t fields_ = 0;      // Start of the vtable.
  std::size_t fields_end_ = 0;  // End of the vtable.
};

}  // namespace cboard::model
