#include "cboard/reader/snapshot.h"

#include <algorithm>

namespace cboard::reader {
namespace {

// The kinds of data of a run, with one bit per kind.
struct RunKinds {
  std::uint32_t bits = 0;

  static std::uint32_t BitOf(TagKind kind) { return std::uint32_t{1} << static_cast<int>(kind); }
};

}  // namespace

bool Run::Has(TagKind kind) const {
  const RunKinds& kinds = notes.Get<RunKinds>([this] {
    RunKinds present;
    for (const Tag& tag : tags) present.bits |= RunKinds::BitOf(tag.kind());
    return present;
  });
  return (kinds.bits & RunKinds::BitOf(kind)) != 0;
}

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

}  // namespace cboard::reader
