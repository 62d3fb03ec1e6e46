#include "reader/index/tag_info_table.h"

#include <array>
#include <functional>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cboard::reader {
namespace {

std::size_t HashOf(const TagInfo& info) {
  std::size_t hash = static_cast<std::size_t>(info.kind);
  for (const std::string_view text :
       {std::string_view(info.name), std::string_view(info.plugin_name),
        std::string_view(info.plugin_content), std::string_view(info.display_name),
        std::string_view(info.description)}) {
    hash = (hash ^ std::hash<std::string_view>()(text)) * 0x9E3779B97F4A7C15u;
  }
  return hash ^ hash >> 32;
}

// Part of the table, with a lock of its own so that threads seldom wait for each other.
class Shard {
 public:
  std::shared_ptr<const TagInfo> Intern(std::size_t hash, TagInfo info) {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = infos_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
      if (auto known = entry->second.lock(); known && *known == info) return known;
    }
    if (infos_.size() >= sweep_size_) Sweep();
    auto added = std::make_shared<const TagInfo>(std::move(info));
    infos_.emplace(hash, added);
    return added;
  }

 private:
  // Forgets what nobody holds any more, each time the table has doubled.
  void Sweep() {
    std::erase_if(infos_, [](const auto& entry) { return entry.second.expired(); });
    sweep_size_ = 2 * infos_.size() + 64;
  }

  std::mutex mutex_;
  std::unordered_multimap<std::size_t, std::weak_ptr<const TagInfo>> infos_;
  std::size_t sweep_size_ = 64;
};

}  // namespace

std::shared_ptr<const TagInfo> Intern(TagInfo info) {
  // Never destroyed: threads may still be reading files when the program ends.
  static auto& shards = *new std::array<Shard, 16>;
  const std::size_t hash = HashOf(info);
  return shards[hash % shards.size()].Intern(hash, std::move(info));
}

}  // namespace cboard::reader
