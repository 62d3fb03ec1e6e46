// Reads the elements of a tensor message: raw bytes in one field, or a list of numbers in another.
// ONNX and TensorFlow have both forms, with different field numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/packed.h"
#include "proto/wire_reader.h"

namespace cboard::proto {

// The field numbers of a tensor message's elements.
struct NumberFields {
  std::uint32_t raw = 0;
  std::uint32_t list = 0;      // 0: no such list.
  bool list_is_fixed = false;  // True for floats and doubles; otherwise varints.
  std::size_t bytes = 0;       // Size of an element in raw data.
};

// The elements of a tensor in little-endian order. They point into the message if it stores them
// that way, otherwise they are decoded.
struct NumberList {
  std::string_view in_place;
  std::string decoded;
  bool has_raw = false;
  std::size_t list_fields = 0;
};

// Collects the elements of a tensor message. Throws protozero's exceptions. Raw bytes are
// preferred. A packed list of fixed-width numbers is not copied either, unless it is split over
// several fields.
inline void CollectNumbers(pbf_reader fields, const NumberFields& where, NumberList& numbers) {
  using protozero::pbf_wire_type;
  std::string_view packed;
  const auto append = [&](std::uint64_t value) {
    numbers.decoded.append(reinterpret_cast<const char*>(&value), where.bytes);
  };
  while (fields.next()) {
    const bool is_length = fields.wire_type() == pbf_wire_type::length_delimited;
    if (fields.tag_and_type() == Length(where.raw)) {
      numbers.in_place = ViewOf(fields);
      numbers.has_raw = true;
    } else if (fields.tag() != where.list || where.list == 0) {
      fields.skip();
    } else if (!where.list_is_fixed) {
      if (is_length || fields.wire_type() == pbf_wire_type::varint) {
        ForEachVarint(fields, append);
      } else {
        fields.skip();
      }
    } else if (is_length) {
      const std::string_view more = ViewOf(fields);
      if (more.size() % where.bytes != 0) throw protozero::invalid_length_exception();
      if (numbers.list_fields++ == 0) {
        packed = more;
      } else {
        numbers.decoded.append(packed).append(more);
        packed = {};
      }
    } else {
      ++numbers.list_fields;
      numbers.decoded.append(packed);
      packed = {};
      if (where.bytes == 4 && fields.wire_type() == pbf_wire_type::fixed32) {
        append(fields.get_fixed32());
      } else if (where.bytes == 8 && fields.wire_type() == pbf_wire_type::fixed64) {
        append(fields.get_fixed64());
      } else {
        fields.skip();
      }
    }
  }
  if (!numbers.has_raw) numbers.in_place = packed;
}

}  // namespace cboard::proto
