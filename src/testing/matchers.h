// GMock matchers for Result: EXPECT_THAT(reader.Next(), FailsWith(ErrorCode::kTruncated)).
#pragma once

#include <gmock/gmock.h>

#include <ostream>

#include "cboard/base/result.h"

namespace cboard {
inline void PrintTo(const Error& error, std::ostream* out) {
  *out << NameOf(error.code) << ": " << error.message;
}
}  // namespace cboard

namespace cboard::testing {

MATCHER(Succeeds, "succeeds") {
  if (!arg) *result_listener << NameOf(arg.error().code) << ": " << arg.error().message;
  return arg.has_value();
}

MATCHER_P(FailsWith, code, "fails with " + std::string(NameOf(code))) {
  if (arg) {
    *result_listener << "succeeds";
    return false;
  }
  *result_listener << NameOf(arg.error().code) << ": " << arg.error().message;
  return arg.error().code == code;
}

// Matches like FailsWith(code), with a message that contains `text`.
MATCHER_P2(FailsSaying, code, text, "fails saying '" + std::string(text) + "'") {
  if (arg) {
    *result_listener << "succeeds";
    return false;
  }
  *result_listener << NameOf(arg.error().code) << ": " << arg.error().message;
  return arg.error().code == code && arg.error().message.find(text) != std::string::npos;
}

}  // namespace cboard::testing
