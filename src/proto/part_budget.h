// The memory that a message's parts take once they are read, kept in proportion to its bytes.
//
//   PartBudget budget(bytes.size());
//   budget.Reserve(CountFields(fields, Length(5)), node.attributes);
//
// An empty message of two bytes becomes a struct of hundreds, so a file could otherwise ask for a
// hundred times its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/wire_reader.h"

namespace cboard::proto {

// How many of the fields that follow, up to the first that is damaged, have this number and wire
// type. Damage is for the one who reads them to report, with what was read before it.
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
  // By the sizes of the structs, a dense graph (convolutions of five attributes, numbers for names)
  // takes about nine times its bytes.
  explicit PartBudget(std::size_t message_bytes)
      : left_((std::uint64_t{128} << 20) + std::uint64_t{12} * message_bytes) {}

  // Makes room in `list` for `count` more, or throws too_many_parts_exception.
  template <typename T>
  void Reserve(std::size_t count, std::vector<T>& list) {
    const std::uint64_t bytes = std::uint64_t{count} * sizeof(T);
    if (bytes > left_) throw too_many_parts_exception();
    left_ -= bytes;
    // A list in several pieces, which no writer produces, grows as it is read.
    if (list.empty()) list.reserve(count);
  }

 private:
  std::uint64_t left_;
};

}  // namespace cboard::proto
