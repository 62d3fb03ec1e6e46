#include "cboard/reader/snapshot.h"

#include <algorithm>

namespace cboard {

const Tag* Run::Find(std::string_view tag) const {
  const auto found = std::ranges::lower_bound(
      tags, tag, {}, [](const Tag& candidate) -> std::string_view { return candidate.name(); });
  return found != tags.end() && found->name() == tag ? &*found : nullptr;
}

const Run* Snapshot::FindRun(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      runs, name, {},
      [](const std::shared_ptr<const Run>& run) -> std::string_view { return run->name; });
  return found != runs.end() && (*found)->name == name ? found->get() : nullptr;
}

const Tag* Snapshot::FindTag(std::string_view run, std::string_view tag) const {
  const Run* found = FindRun(run);
  return found == nullptr ? nullptr : found->Find(tag);
}

}  // namespace cboard
