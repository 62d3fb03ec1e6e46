// Shares equal tag infos between runs.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// A TagInfo that borrows its texts.
struct TagInfoView {
  std::string_view name;
  TagKind kind = TagKind::kTensor;
  std::string_view plugin_name;
  std::string_view plugin_content;
  std::string_view display_name;
  std::string_view description;
  proto::DataClass data_class = proto::DataClass::kUnknown;
};

// The shared copy of `info`: the same object for equal infos as long as anybody holds it. May be
// called from any thread.
std::shared_ptr<const TagInfo> Intern(const TagInfo& info);

// The same; texts are copied only if there is no such info yet.
std::shared_ptr<const TagInfo> InternView(const TagInfoView& info);

using TagInfoList = std::vector<std::shared_ptr<const TagInfo>>;

// The tag facts of the previous file: the next file of an experiment mostly has the same facts, in
// the same order, and then shares the list instead of looking up each tag.
//
//   memory.Begin();
//   for (...) const TagInfo* info = memory.Next(...);
//   std::shared_ptr<const TagInfoList> keeper = memory.Finish();
//
// Not thread-safe.
class TagInfoMemory {
 public:
  // Begins a file; forgets one that was not finished.
  void Begin();

  // The shared copy of the next tag's info, as InternView gives it. Valid until the next Begin, and
  // as long as anybody holds the list.
  const TagInfo* Next(const TagInfoView& info);

  // The infos of all tags since Begin.
  std::shared_ptr<const TagInfoList> Finish();

 private:
  void Leave();

  std::shared_ptr<const TagInfoList> last_ = std::make_shared<const TagInfoList>();
  std::size_t position_ = 0;        // So many tags are as in `last_`.
  std::optional<TagInfoList> own_;  // Set if this file's list differs from the previous file's.
};

}  // namespace cboard::reader
