// Reads repeated numbers. In protobuf, either one field contains all numbers (packed), or each
// field contains one number.
#pragma once

#include <cstring>
#include <vector>

#include "proto/wire_reader.h"

namespace cboard::proto {

// Appends the doubles (or floats) of the current field, which is a packed list or a single number.
template <typename Number>
void AppendFixed(pbf_reader& fields, std::vector<Number>& numbers) {
  if (fields.wire_type() == protozero::pbf_wire_type::length_delimited) {
    const std::string_view packed = ViewOf(fields);
    if (packed.size() % sizeof(Number) != 0) throw protozero::invalid_length_exception();
    if (packed.empty()) return;
    const std::size_t old_size = numbers.size();
    numbers.resize(old_size + packed.size() / sizeof(Number));
    std::memcpy(numbers.data() + old_size, packed.data(), packed.size());
  } else if constexpr (sizeof(Number) == sizeof(double)) {
    numbers.push_back(fields.get_double());
  } else {
    numbers.push_back(fields.get_float());
  }
}

// Calls `visit` with each varint of the current field, which is a packed list or a single number.
template <typename Visit>
void ForEachVarint(pbf_reader& fields, const Visit& visit) {
  if (fields.wire_type() == protozero::pbf_wire_type::length_delimited) {
    for (const std::uint64_t value : fields.get_packed_uint64()) visit(value);
  } else {
    visit(fields.get_uint64());
  }
}

}  // namespace cboard::proto
