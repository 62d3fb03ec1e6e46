// Finds the long field of an event, which contains the bytes of an image, sound, tensor or
// histogram. The index does not parse these bytes, so they need not be copied.
#pragma once

#include <cstddef>
#include <optional>

#include "cboard/base/bytes.h"

namespace cboard::reader {

// A range of bytes in an event.
struct LongField {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t value_begin = 0;  // The start of the value that contains the field.
  bool is_tensor = false;       // The field may contain a scalar, which the index does parse.
};

// Finds the field that extends beyond `head`. `head` contains the first bytes of an event of
// `event_bytes` bytes. Returns nullopt unless the event is a summary with one value and the field
// is a member of that value's oneof.
std::optional<LongField> FindLongField(ByteSpan head, std::size_t event_bytes);

}  // namespace cboard::reader
