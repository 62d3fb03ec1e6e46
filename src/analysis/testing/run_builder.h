// Creates runs in memory, without files, for tests.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cboard/reader/snapshot.h"
#include "reader/index/arena.h"
#include "reader/index/scalar_column.h"

namespace cboard::analysis {

// Returns a run with one point per scalar, and with histogram tags without data.
inline std::shared_ptr<reader::Run> MakeRun(std::string name,
                                            const std::map<std::string, double>& scalars,
                                            const std::vector<std::string>& histograms = {}) {
  auto run = std::make_shared<reader::Run>();
  run->directory = "/logs/" + name;
  run->name = std::move(name);
  run->first_wall_time_seconds = run->newest_wall_time_seconds = 1.7e9;
  const auto arena = std::make_shared<reader::Arena>();
  const auto add = [&](const std::string& tag, reader::TagKind kind) -> reader::Tag& {
    auto info = std::make_shared<reader::TagInfo>();
    info->name = tag;
    info->kind = kind;
    return run->tags.emplace_back(reader::Tag{.info = std::move(info)});
  };
  for (const auto& [tag, value] : scalars) {
    reader::ScalarColumn column(*arena);
    column.Append(1, 1.7e9, value, 0);
    add(tag, reader::TagKind::kScalar).scalars = reader::ScalarSeries({column.View(arena)});
  }
  for (const std::string& tag : histograms) add(tag, reader::TagKind::kHistogram);
  std::ranges::sort(run->tags, {}, &reader::Tag::name);
  return run;
}

}  // namespace cboard::analysis
