// One copy of what many runs say about their tags.
#pragma once

#include <memory>
#include <string_view>

#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// A TagInfo whose texts belong to somebody else.
struct TagInfoView {
  std::string_view name;
  TagKind kind = TagKind::kTensor;
  std::string_view plugin_name;
  std::string_view plugin_content;
  std::string_view display_name;
  std::string_view description;
};

// The shared copy of `info`: the same object for equal infos as long as anybody holds it. May be
// called from any thread.
std::shared_ptr<const TagInfo> Intern(const TagInfo& info);

// The same; texts are copied only if there is no such info yet.
std::shared_ptr<const TagInfo> InternView(const TagInfoView& info);

}  // namespace cboard::reader
