// Reads the elements of a tensor message. The message stores them as raw bytes in one field, or as
// a list of numbers in another field. ONNX and TensorFlow use different field numbers for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/packed.h"
#include "proto/wire_reader.h"

namespace cboard::proto {

// The numbers of the fields in which a message stores the elements of a tensor.
struct NumberFields {
  std::uint32_t raw = 0;
  std::uint32_t list = 0;      // 0: no such list.
  bool list_is_fixed = false;  // True for floats and doubles; otherwise varints.
  std::size_t bytes = 0;       // Size of an element in raw data.
};

// The elements of a tensor in little-endian order. `in_place` points into the message if it
// contains the elements in this order; otherwise `decoded` contains them.
struct NumberList {
  std::string_view in_place;
  std::string decoded;
  bool has_raw = false;
  std::size_t list_fields = 0;
};

// Collects the elements of a tensor message. Prefers raw bytes to a list of numbers. Raw bytes are
// not copied; a packed list of fixed-width numbers is copied only if it is split over several
// fields. Throws protozero's exceptions.
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
