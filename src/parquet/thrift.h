// Writes those parts of Thrift's compact protocol that Parquet's metadata needs. Parquet's file
// parquet.thrift describes the messages and their field numbers.
//
//   std::string bytes;
//   AppendStruct(bytes, [&](StructFields& header) {
//     header.Int32(1, page_type);
//     header.Struct(5, [&](StructFields& page) { page.Int32(1, value_count); });
//   });
#pragma once

#include <cstdint>
#include <initializer_list>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>

namespace cboard::parquet {

// Appends the fields of one struct to a string, in ascending order of their numbers.
class StructFields {
 public:
  explicit StructFields(std::string& out) : out_(out) {}

  void Int32(int field, std::int32_t value) {
    Begin(field, kInt32);
    Integer(value);
  }
  void Int64(int field, std::int64_t value) {
    Begin(field, kInt64);
    Integer(value);
  }
  void Text(int field, std::string_view value) {  // Also for the Thrift type `binary`.
    Begin(field, kText);
    Text(value);
  }
  void Int32s(int field, std::initializer_list<std::int32_t> values) {
    BeginList(field, kInt32, values.size());
    for (const std::int32_t value : values) Integer(value);
  }
  void Texts(int field, std::initializer_list<std::string_view> values) {
    BeginList(field, kText, values.size());
    for (const std::string_view value : values) Text(value);
  }

  template <typename Describe>
  void Struct(int field, const Describe& describe);

  // Writes a list of `count` structs. `encoded` contains the structs, as AppendStruct has appended
  // them.
  void Structs(int field, std::size_t count, std::string_view encoded) {
    BeginList(field, kStruct, count);
    out_ += encoded;
  }

 private:
  static constexpr int kInt32 = 5;
  static constexpr int kInt64 = 6;
  static constexpr int kText = 8;
  static constexpr int kList = 9;
  static constexpr int kStruct = 12;

  // Writes the start of a field. In all structs of Parquet, successive field numbers differ by at
  // most 15.
  void Begin(int field, int type) {
    out_ += static_cast<char>((field - last_field_) << 4 | type);
    last_field_ = field;
  }
  void BeginList(int field, int type, std::size_t size) {
    Begin(field, kList);
    if (size < 15) {
      out_ += static_cast<char>(static_cast<int>(size) << 4 | type);
    } else {
      out_ += static_cast<char>(0xf0 | type);
      protozero::add_varint_to_buffer(&out_, size);
    }
  }
  void Integer(std::int64_t value) {
    protozero::add_varint_to_buffer(&out_, protozero::encode_zigzag64(value));
  }
  void Text(std::string_view value) {
    protozero::add_varint_to_buffer(&out_, value.size());
    out_ += value;
  }

  std::string& out_;
  int last_field_ = 0;
};

template <typename Describe>
void AppendStruct(std::string& out, const Describe& describe) {
  StructFields fields(out);
  describe(fields);
  out += '\0';
}

template <typename Describe>
void StructFields::Struct(int field, const Describe& describe) {
  Begin(field, kStruct);
  AppendStruct(out_, describe);
}

}  // namespace cboard::parquet
