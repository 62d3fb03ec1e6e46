// Elements of a tensor message: raw bytes in one field, or a list of numbers in another. ONNX and
// TensorFlow have both, under different field numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/packed.h"
#include "proto/wire_reader.h"

namespace cboard::proto {

// Where to look.
struct NumberFields {
  std::uint32_t raw = 0;
  std::uint32_t list = 0;      // 0: there is none.
  bool list_is_fixed = false;  // Floats and doubles; otherwise varints.
  std::size_t bytes = 0;       // Size of an element in raw data.
};

// Little-endian elements: in place where the message stores them so, else decoded.
struct NumberList {
  std::string_view in_place;
  std::string decoded;
  bool has_raw = false;
  std::size_t list_fields = 0;
};

// Throws protozero's exceptions. Raw bytes come first; a packed list of fixed-width numbers is in
// place, too, unless it is split over many fields.
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
