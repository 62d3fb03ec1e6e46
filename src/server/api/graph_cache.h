// A cache of parsed and compared graphs: expanding a group, tracing and searching reuse the same
// graph.
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

// A graph scene with its source graphs and the errors that occurred while reading them.
struct CachedScene {
  analysis::GraphScene scene = {};
  std::vector<Error> problems = {};
};

// Thread-safe. The first request for a scene creates it, and later requests for the same scene
// wait; requests for other scenes do not wait. The least recently used scene is discarded first;
// callers that hold a scene keep it alive.
class GraphCache {
 public:
  using Scene = std::shared_ptr<const CachedScene>;
  using Make = std::function<Result<CachedScene>()>;

  explicit GraphCache(std::size_t max_scenes = 6) : max_scenes_(max_scenes) {}

  // Returns the scene for `key`, and creates it with `make` if it is not cached. Failures are not
  // cached.
  Result<Scene> Take(const std::string& key, const Make& make);

 private:
  struct Slot {
    std::string key;
    std::mutex making;  // Lock only after mutex_ is released, never before.
    Scene scene;
  };

  std::size_t max_scenes_;
  std::mutex mutex_;                        // Guards the list.
  std::list<std::shared_ptr<Slot>> slots_;  // Most recently used first.
};

// Returns the scene of one graph, or of two merged graphs of a snapshot, from the cache of this
// process.
Result<GraphCache::Scene> TakeScene(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                    const analysis::GraphSource& a, const analysis::GraphSource* b);

}  // namespace cboard::server
