// One copy of what many runs say about their tags.
#pragma once

#include <memory>

#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// The shared copy of `info`: the same object for equal infos as long as anybody holds it. May be
// called from any thread.
std::shared_ptr<const TagInfo> Intern(TagInfo info);

}  // namespace cboard::reader
