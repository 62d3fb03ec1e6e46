// Limits the memory of a parsed message, in proportion to its size in bytes.
//
//   PartBudget budget(bytes.size());
//   budget.Reserve(CountFields(fields, Length(5)), node.attributes);
//
// An empty message of two bytes becomes a struct of hundreds of bytes, so without a limit a file
// could use a hundred times its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/wire_reader.h"

namespace cboard::proto {

// Counts the remaining fields that have this number and wire type, up to the first damaged field.
// The code that reads the fields reports the damage later.
inline std::size_t CountFields(pbf_reader fields, std::uint32_t tag_and_type) {
  std::size_t count = 0;
  try {
    while (fields.next()) {
      if (fields.tag_and_type() == tag_and_type) ++count;
      fields.skip();
    }
  } catch (const protozero::exception&) {
    return count;
  }
  return count;
}

class PartBudget {
 public:
  // Sets the limit in proportion to the size of the message. Real graphs need structs of at most
  // about nine times their serialized size: those with many convolutions, five attributes per node,
  // and numbers as names.
  explicit PartBudget(std::size_t message_bytes)
      : left_((std::uint64_t{128} << 20) + std::uint64_t{12} * message_bytes) {}

  // Reserves capacity for `count` more elements of `list`, or throws too_many_parts_exception.
  template <typename T>
  void Reserve(std::size_t count, std::vector<T>& list) {
    const std::uint64_t bytes = std::uint64_t{count} * sizeof(T);
    if (bytes > left_) throw too_many_parts_exception();
    left_ -= bytes;
    // Reserves memory only for an empty list. No known program writes a list in several pieces; if
    // a file has one, the vector grows as usual.
    if (list.empty()) list.reserve(count);
  }

 private:
  std::uint64_t left_;
};

}  // namespace cboard::proto
