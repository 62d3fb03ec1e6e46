// Protobuf messages in protobuf's text form, character for character what `str(message)` gives in
// Python, which is what TensorBoard sends; only maps are sorted by key.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "reader/query/message_schema.h"

namespace cboard::reader {

// Fails with kDataLoss when `bytes` is not such a message, or one inside another over 100 deep, and
// with kResourceExhausted when the text would be longer than `max_bytes`.
Result<std::string> ToTextFormat(const MessageSchema& schema, std::string_view bytes,
                                 std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace cboard::reader
