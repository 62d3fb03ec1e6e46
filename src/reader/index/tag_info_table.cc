#include "reader/index/tag_info_table.h"

#include <array>
#include <functional>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace cboard::reader {
namespace {

std::size_t HashOf(const TagInfoView& info) {
  std::size_t hash =
      static_cast<std::size_t>(info.kind) << 8 ^ static_cast<std::size_t>(info.data_class);
  for (const std::string_view text :
       {info.name, info.plugin_name, info.plugin_content, info.display_name, info.description}) {
    hash = (hash ^ std::hash<std::string_view>()(text)) * 0x9E3779B97F4A7C15u;
  }
  return hash ^ hash >> 32;
}

bool IsEqual(const TagInfo& a, const TagInfoView& b) {
  return a.kind == b.kind && a.name == b.name && a.plugin_name == b.plugin_name &&
         a.plugin_content == b.plugin_content && a.display_name == b.display_name &&
         a.description == b.description && a.data_class == b.data_class;
}

// A part of the table with its own lock, so that threads seldom wait for each other.
class Shard {
 public:
  std::shared_ptr<const TagInfo> Intern(std::size_t hash, const TagInfoView& info) {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = infos_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
      if (auto known = entry->second.lock(); known && IsEqual(*known, info)) return known;
    }
    if (infos_.size() >= sweep_size_) Sweep();
    const auto added =
        std::make_shared<const TagInfo>(TagInfo{.name = std::string(info.name),
                                                .kind = info.kind,
                                                .plugin_name = std::string(info.plugin_name),
                                                .plugin_content = std::string(info.plugin_content),
                                                .display_name = std::string(info.display_name),
                                                .description = std::string(info.description),
                                                .data_class = info.data_class});
    infos_.emplace(hash, added);
    return added;
  }

 private:
  // Removes unused infos. Called each time the table has doubled its size.
  void Sweep() {
    std::erase_if(infos_, [](const auto& entry) { return entry.second.expired(); });
    sweep_size_ = 2 * infos_.size() + 64;
  }

  std::mutex mutex_;
  std::unordered_multimap<std::size_t, std::weak_ptr<const TagInfo>> infos_;
  std::size_t sweep_size_ = 64;
};

}  // namespace

std::shared_ptr<const TagInfo> InternView(const TagInfoView& info) {
  // The table is never destroyed: threads may still be reading files when the program ends.
  static auto& shards = *new std::array<Shard, 16>;
  const std::size_t hash = HashOf(info);
  return shards[hash % shards.size()].Intern(hash, info);
}

void TagInfoMemory::Begin() {
  position_ = 0;
  own_.reset();
}

void TagInfoMemory::Leave() {
  const auto same = last_->begin() + static_cast<std::ptrdiff_t>(position_);
  own_.emplace(last_->begin(), same);
}

const TagInfo* TagInfoMemory::Next(const TagInfoView& info) {
  if (!own_ && position_ < last_->size() && IsEqual(*(*last_)[position_], info)) {
    return (*last_)[position_++].get();
  }
  if (!own_) Leave();
  return own_->emplace_back(InternView(info)).get();
}

std::shared_ptr<const TagInfoList> TagInfoMemory::Finish() {
  if (!own_ && position_ < last_->size()) Leave();
  if (own_) last_ = std::make_shared<const TagInfoList>(*std::move(own_));
  own_.reset();
  return last_;
}

std::shared_ptr<const TagInfo> Intern(const TagInfo& info) {
  return InternView({.name = info.name,
                     .kind = info.kind,
                     .plugin_name = info.plugin_name,
                     .plugin_content = info.plugin_content,
                     .display_name = info.display_name,
                     .description = info.description,
                     .data_class = info.data_class});
}

}  // namespace cboard::reader
