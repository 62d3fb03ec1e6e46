// Copies fields from one protobuf message to another, without parsing their values.
#pragma once

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace cboard::reader {

// Copies the current field of `from`.
inline void CopyField(protozero::pbf_reader& from, protozero::pbf_writer& to) {
  const protozero::pbf_tag_type tag = from.tag();  // Copied first: reading the value clears it.
  switch (from.wire_type()) {
    case protozero::pbf_wire_type::varint:
      to.add_uint64(tag, from.get_uint64());
      break;
    case protozero::pbf_wire_type::fixed64:
      to.add_fixed64(tag, from.get_fixed64());
      break;
    case protozero::pbf_wire_type::fixed32:
      to.add_fixed32(tag, from.get_fixed32());
      break;
    default:
      to.add_bytes(tag, from.get_view());
  }
}

}  // namespace cboard::reader
