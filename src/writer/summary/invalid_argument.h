// The error for invalid arguments. All summaries of this folder use it.
#pragma once

#include <string>
#include <utility>

#include "cboard/base/result.h"

namespace cboard::writer::summary {

// Returns an error for an invalid argument. `message` says what is wrong with the argument, and
// what to use instead.
inline tl::unexpected<Error> InvalidArgument(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace cboard::writer::summary
