// How the summaries of this folder refuse what they were given.
#pragma once

#include <string>
#include <utility>

#include "cboard/base/result.h"

namespace cboard::writer::summary {

// `message` says what is wrong with it, and what to give instead.
inline tl::unexpected<Error> InvalidArgument(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace cboard::writer::summary
