#include "server/api/graph_cache.h"

#include <algorithm>

namespace cboard::server {
namespace {

using analysis::GraphSource;
using analysis::MeasuredGraph;

// Returns the cache key of a graph. It includes the run's directory, because several boards in one
// process may have runs of the same name.
std::string KeyOf(const reader::Snapshot& snapshot, const GraphSource& source) {
  const reader::Run* const run = snapshot.FindRun(source.run);
  std::string key = run == nullptr ? source.run : run->directory.string();
  key.append("\n").append(source.tag).append("\n").append(source.version);
  for (const std::string& profile : source.profiles) {
    const reader::Tag* const tag = run == nullptr ? nullptr : run->Find(profile);
    key.append("\n").append(profile);
    if (tag == nullptr || tag->blobs.empty()) continue;
    key.append(" ").append(std::to_string(tag->blobs.back().record_offset));
  }
  return key;
}

}  // namespace

Result<GraphCache::Scene> GraphCache::Take(const std::string& key, const Make& make) {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(slots_, key, [](const auto& s) { return s->key; });
    if (found != slots_.end()) {
      slots_.splice(slots_.begin(), slots_, found);
    } else {
      slots_.push_front(std::make_shared<Slot>());
      slots_.front()->key = key;
      if (slots_.size() > max_scenes_) slots_.pop_back();
    }
    slot = slots_.front();
  }
  const std::lock_guard lock(slot->making);
  if (slot->scene == nullptr) {
    CBOARD_ASSIGN_OR_RETURN(CachedScene made, make());
    slot->scene = std::make_shared<const CachedScene>(std::move(made));
  }
  return slot->scene;
}

Result<GraphCache::Scene> TakeScene(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                    const GraphSource& a, const GraphSource* b) {
  // The cache is never destroyed, because requests may still use it at exit.
  static GraphCache* const shelf = new GraphCache();
  std::string key = KeyOf(*snapshot, a);
  if (b != nullptr) key.append("\n\n").append(KeyOf(*snapshot, *b));
  return shelf->Take(key, [&]() -> Result<CachedScene> {
    CachedScene made;
    CBOARD_ASSIGN_OR_RETURN(MeasuredGraph graph, ReadGraph(*snapshot, a, made.problems));
    auto first = std::make_shared<const MeasuredGraph>(std::move(graph));
    std::shared_ptr<const MeasuredGraph> second;
    if (b != nullptr) {
      CBOARD_ASSIGN_OR_RETURN(MeasuredGraph other, ReadGraph(*snapshot, *b, made.problems));
      second = std::make_shared<const MeasuredGraph>(std::move(other));
    }
    made.scene = analysis::MakeScene(std::move(first), std::move(second));
    return made;
  });
}

}  // namespace cboard::server
