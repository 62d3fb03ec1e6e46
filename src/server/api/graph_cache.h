// A cache of parsed and compared graphs: expanding a group, tracing and searching use the same
// graph repeatedly.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cboard/analysis/graph_scene.h"
#include "cboard/analysis/graph_sources.h"
#include "cboard/base/result.h"

namespace cboard::server {

// A scene with its sources and with the errors of reading them.
struct CachedScene {
  analysis::GraphScene scene = {};
  std::vector<Error> problems = {};
};

// Thread-safe. The first request creates the scene, and other requests for it wait; requests for
// other scenes do not. The least recently used scene is discarded first; holders of a scene keep
// it.
class GraphCache {
 public:
  using Scene = std::shared_ptr<const CachedScene>;
  using Make = std::function<Result<CachedScene>()>;

  explicit GraphCache(std::size_t max_scenes = 6) : max_scenes_(max_scenes) {}

  // Returns the scene under `key`, and makes it if it is missing. Failures are not cached.
  Result<Scene> Take(const std::string& key, const Make& make);

 private:
  struct Slot {
    std::string key;
    std::mutex making;  // After mutex_ is released; never the other way round.
    Scene scene;
  };

  std::size_t max_scenes_;
  std::mutex mutex_;                        // Guards the list.
  std::list<std::shared_ptr<Slot>> slots_;  // The latest first.
};

// Returns one graph, or two merged into one, of a snapshot, from the cache of this process.
Result<GraphCache::Scene> TakeScene(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                    const analysis::GraphSource& a, const analysis::GraphSource* b);

}  // namespace cboard::server
