// Writes and reads the numbers and texts of indexes that are stored on the disk.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "cboard/base/bytes.h"

namespace cboard::reader {

class BytesOut {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T>
  void Put(T value) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof value);
    std::memcpy(bytes_.data() + end, &value, sizeof value);
  }

  void PutText(std::string_view text) {
    Put(std::uint64_t{text.size()});
    bytes_ += text;
  }

  void PutRaw(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads the output of BytesOut. Reading behind the end returns zeros and makes holds() false, so
// check holds() before you use the values.
class BytesIn {
 public:
  explicit BytesIn(ByteSpan bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_arithmetic_v<T> T Take() {
    T value{};
    if (bytes_.size() < sizeof value) {
      holds_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

  // Reads a byte and compares it with 0: a bool with another value than 0 or 1 would be undefined
  // behavior.
  bool TakeFlag() { return Take<std::uint8_t>() != 0; }

  std::string_view TakeText() {
    const auto size = Take<std::uint64_t>();
    if (size > bytes_.size()) {
      holds_ = false;
      return {};
    }
    const ByteSpan text = bytes_.first(static_cast<std::size_t>(size));
    bytes_ = bytes_.subspan(text.size());
    return AsText(text);
  }

  // Reads the number of items that follow. Each item has at least `bytes_each` bytes; if the
  // remaining bytes are not enough, the number is an error.
  std::size_t TakeCount(std::size_t bytes_each) {
    const auto count = Take<std::uint64_t>();
    if (count > bytes_.size() / bytes_each) holds_ = false;
    return holds_ ? static_cast<std::size_t>(count) : 0;
  }

  bool holds() const { return holds_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  ByteSpan bytes_;
  bool holds_ = true;
};

}  // namespace cboard::reader
