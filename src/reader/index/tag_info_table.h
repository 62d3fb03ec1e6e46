// Shares equal tag infos (kind, plugin, metadata) between runs, to save memory.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// A TagInfo whose strings are views.
struct TagInfoView {
  std::string_view name;
  TagKind kind = TagKind::kTensor;
  std::string_view plugin_name;
  std::string_view plugin_content;
  std::string_view display_name;
  std::string_view description;
  proto::DataClass data_class = proto::DataClass::kUnknown;
};

// Returns the shared copy of `info`. Equal infos have the same copy while one of them is in use.
// May be called from any thread.
std::shared_ptr<const TagInfo> Intern(const TagInfo& info);

// Does the same as Intern(), but copies the strings only if the table has no such info yet.
std::shared_ptr<const TagInfo> InternView(const TagInfoView& info);

using TagInfoList = std::vector<std::shared_ptr<const TagInfo>>;

// Remembers the tag infos of the previous file. The next file of an experiment usually has the same
// infos in the same order. It then shares the list, and no info is looked up in the table.
//
//   memory.Begin();
//   for (...) const TagInfo* info = memory.Next(...);
//   std::shared_ptr<const TagInfoList> keeper = memory.Finish();
//
// Not thread-safe.
class TagInfoMemory {
 public:
  // Begins a new file. If the last file was not finished, it is forgotten.
  void Begin();

  // Returns the shared copy of the next tag's info, like InternView(). It is valid until the next
  // Begin(), and as long as the list of Finish() is in use.
  const TagInfo* Next(const TagInfoView& info);

  // Returns the infos of all tags since Begin().
  std::shared_ptr<const TagInfoList> Finish();

 private:
  void Leave();

  std::shared_ptr<const TagInfoList> last_ = std::make_shared<const TagInfoList>();
  std::size_t position_ = 0;        // The number of infos that equal those in `last_`.
  std::optional<TagInfoList> own_;  // Set if this file's list differs from the previous file's.
};

}  // namespace cboard::reader
