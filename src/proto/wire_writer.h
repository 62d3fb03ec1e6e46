// Writes protobuf messages from one description of their fields.
//
//   AppendMessage(out, [&](auto& fields) {
//     fields.Double(1, event.wall_time_seconds);
//     fields.Message(5, [&](auto& summary) { summary.Text(1, tag); });
//   });
//
// A description runs twice: first with a counter that computes all nested lengths, then with the
// output, which therefore grows only once and is never moved. A histogram or an image is copied
// exactly once on its way into an event.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "cboard/base/strings.h"

namespace cboard::proto {

// True if every byte of `text` is ASCII. Checks eight bytes per step; nearly all tags are ASCII.
inline bool IsAscii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::uint64_t bits = 0;
  while (text.size() >= sizeof(bits)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof(word));
    bits |= word;
    text.remove_prefix(sizeof(word));
  }
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  return (bits & kHighBits) == 0;
}

// A sink that only counts the bytes of a description.
class CountingSink {
 public:
  void Varint(std::uint64_t value) {
    size_ += static_cast<std::size_t>(protozero::length_of_varint(value));
  }
  void Bytes(const void* /*data*/, std::size_t size) { size_ += size; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

// A sink that appends the bytes of a description to a string.
class AppendingSink {
 public:
  explicit AppendingSink(std::string& out) : out_(out) {}
  void Varint(std::uint64_t value) {
    char digits[protozero::max_varint_length];
    const int size = protozero::add_varint_to_buffer(digits, value);
    out_.append(digits, static_cast<std::size_t>(size));
  }
  void Bytes(const void* data, std::size_t size) {
    out_.append(static_cast<const char*>(data), size);
  }

 private:
  std::string& out_;
};

template <typename Describe>
std::size_t SizeOfMessage(const Describe& describe);

// Writes the fields of one message. Int, Double, Text … follow proto3: they omit a value that
// equals the default. The Present… versions always write the value; use them for members of a
// oneof, elements of a repeated field and map entries. Callers write fields in ascending order.
template <typename Sink>
class Fields {
 public:
  explicit Fields(Sink sink) : sink_(sink) {}

  void Int(int field, std::int64_t value) {
    if (value != 0) PresentInt(field, value);
  }
  void PresentInt(int field, std::int64_t value) {
    Key(field, protozero::pbf_wire_type::varint);
    sink_.Varint(static_cast<std::uint64_t>(value));
  }

  // Writes a protobuf double, unless it is the default 0. -0.0 is written, because its bits differ
  // from those of 0, and protobuf compares bits.
  void Double(int field, double value) {
    if (std::bit_cast<std::uint64_t>(value) != 0) PresentDouble(field, value);
  }
  void PresentDouble(int field, double value) {
    Key(field, protozero::pbf_wire_type::fixed64);
    sink_.Bytes(&value, sizeof(value));
  }

  void Float(int field, float value) {
    if (std::bit_cast<std::uint32_t>(value) != 0) PresentFloat(field, value);
  }
  void PresentFloat(int field, float value) {
    Key(field, protozero::pbf_wire_type::fixed32);
    sink_.Bytes(&value, sizeof(value));
  }

  // Writes a protobuf `string`. Invalid UTF-8 is replaced, because a single invalid byte would make
  // other readers reject the whole event.
  void Text(int field, std::string_view value) {
    if (!value.empty()) PresentText(field, value);
  }
  void PresentText(int field, std::string_view value) {
    if (IsAscii(value) || IsValidUtf8(value)) {
      PresentBytes(field, value);
    } else {
      PresentBytes(field, ToValidUtf8(value));
    }
  }

  // Writes a protobuf `bytes` field, or a message that is already serialized.
  void Bytes(int field, std::string_view value) {
    if (!value.empty()) PresentBytes(field, value);
  }
  void PresentBytes(int field, std::string_view value) {
    Key(field, protozero::pbf_wire_type::length_delimited);
    sink_.Varint(value.size());
    sink_.Bytes(value.data(), value.size());
  }

  // Writes a packed list of numbers; omits the field if there are no values.
  void PackedDoubles(int field, std::span<const double> values) { PackedFixed(field, values); }
  void PackedFloats(int field, std::span<const float> values) { PackedFixed(field, values); }
  template <typename Integer>
  void PackedInts(int field, std::span<const Integer> values) {
    if (values.empty()) return;
    CountingSink counter;
    for (const Integer value : values) counter.Varint(AsVarint(value));
    Key(field, protozero::pbf_wire_type::length_delimited);
    sink_.Varint(counter.size());
    for (const Integer value : values) sink_.Varint(AsVarint(value));
  }

  // Writes a nested message, even if it has no fields.
  template <typename Describe>
  void Message(int field, const Describe& describe) {
    const std::size_t size = SizeOfMessage(describe);
    Key(field, protozero::pbf_wire_type::length_delimited);
    sink_.Varint(size);
    if constexpr (std::is_same_v<Sink, CountingSink>) {
      sink_.Bytes(nullptr, size);
    } else {
      describe(*this);
    }
  }

  const Sink& sink() const { return sink_; }

 private:
  void Key(int field, protozero::pbf_wire_type type) {
    sink_.Varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
  }

  // Converts an integer to the 64 bits of a varint. Negative numbers of any width are sign-extended
  // to 64 bits, as in protobuf.
  template <typename Integer>
  static std::uint64_t AsVarint(Integer value) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }

  template <typename Number>
  void PackedFixed(int field, std::span<const Number> values) {
    if (values.empty()) return;
    Key(field, protozero::pbf_wire_type::length_delimited);
    sink_.Varint(values.size_bytes());
    sink_.Bytes(values.data(), values.size_bytes());
  }

  Sink sink_;
};

template <typename Describe>
std::size_t SizeOfMessage(const Describe& describe) {
  Fields<CountingSink> fields{CountingSink()};
  describe(fields);
  return fields.sink().size();
}

template <typename Describe>
void AppendMessage(std::string& out, const Describe& describe) {
  out.reserve(out.size() + SizeOfMessage(describe));
  Fields<AppendingSink> fields{AppendingSink(out)};
  describe(fields);
}

template <typename Describe>
std::string EncodeMessage(const Describe& describe) {
  std::string out;
  AppendMessage(out, describe);
  return out;
}

}  // namespace cboard::proto
