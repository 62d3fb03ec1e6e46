// Converts protobuf messages to protobuf's text format. The text equals that of `str(message)` in
// Python, which TensorBoard sends, with one difference: maps are sorted by key.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "reader/query/message_schema.h"

namespace cboard::reader {

// Returns the text of a message. Fails with kDataLoss if `bytes` is not a message of this type or
// has more than 100 nested levels, and with kResourceExhausted if the text would be longer than
// `max_bytes`.
Result<std::string> ToTextFormat(const MessageSchema& schema, std::string_view bytes,
                                 std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace cboard::reader
