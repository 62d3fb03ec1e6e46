#include "server/api/change_event.h"

#include <string_view>
#include <vector>

namespace cboard::server {
namespace {

constexpr std::size_t kMaxNames = 1000;

void WriteNames(JsonWriter& json, std::string_view key,
                const std::vector<std::string_view>& names) {
  json.Key(key);
  if (names.size() > kMaxNames) {
    json.Null();
    return;
  }
  json.BeginArray();
  for (const std::string_view name : names) json.Value(name);
  json.EndArray();
}

}  // namespace

void WriteProgress(JsonWriter& json, const reader::LoadProgress& progress) {
  json.Key("progress").BeginObject();
  json.Key("done_bytes").Value(progress.done_bytes).Key("total_bytes").Value(progress.total_bytes);
  json.Key("done_runs").Value(progress.done_runs).Key("total_runs").Value(progress.total_runs);
  json.Key("complete").Value(progress.complete).EndObject();
}

std::string DescribeChange(const reader::Snapshot& before, const reader::Snapshot& after) {
  std::vector<std::string_view> changed, added, removed;
  // Compares two lists of runs that are sorted by name. If a run did not change, both lists contain
  // the same object.
  auto old_run = before.runs.begin();
  auto new_run = after.runs.begin();
  while (old_run != before.runs.end() || new_run != after.runs.end()) {
    const bool only_old = new_run == after.runs.end() ||
                          (old_run != before.runs.end() && (*old_run)->name < (*new_run)->name);
    const bool only_new = old_run == before.runs.end() ||
                          (new_run != after.runs.end() && (*new_run)->name < (*old_run)->name);
    if (only_old) {
      removed.push_back((*old_run++)->name);
    } else if (only_new) {
      added.push_back((*new_run++)->name);
    } else {
      if (*old_run != *new_run) changed.push_back((*new_run)->name);
      ++old_run;
      ++new_run;
    }
  }
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(after.version);
  WriteNames(json, "changed", changed);
  WriteNames(json, "added", added);
  WriteNames(json, "removed", removed);
  WriteProgress(json, after.progress);
  return json.EndObject().Take();
}

}  // namespace cboard::server
