#include "cboard/analysis/class_scores.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cboard::analysis {
namespace {

struct ScoreParts {
  std::string_view metric, name, variant;
};

// Splits the part after <model>/per_class/: the class is the text between metric and variant.
std::optional<ScoreParts> SplitScore(std::string_view rest) {
  const std::size_t first = rest.find('/'), last = rest.rfind('/');
  if (first == std::string_view::npos || last <= first + 1) return std::nullopt;
  return ScoreParts{.metric = rest.substr(0, first),
                    .name = rest.substr(first + 1, last - first - 1),
                    .variant = rest.substr(last + 1)};
}

struct Newest {
  double value = 0;
  double wall_time_seconds = 0;
};

}  // namespace

std::optional<double> ClassScore::Drop() const {
  if (!a || !b) return std::nullopt;
  return better == compression::Better::kLower ? *b - *a : *a - *b;
}

std::vector<ClassScore> FindClassScores(const reader::Snapshot& snapshot, std::string_view model,
                                        std::string_view a, std::string_view b) {
  const std::string prefix = std::string(model) + "/per_class/";
  struct Sides {
    std::optional<Newest> a = {}, b = {};
  };
  std::map<std::pair<std::string, std::string>, Sides> found;  // By metric and class.
  for (const auto& run : snapshot.runs) {
    auto at = std::ranges::lower_bound(run->tags, prefix, {}, &reader::Tag::name);
    for (; at != run->tags.end() && at->name().starts_with(prefix); ++at) {
      if (at->kind() != reader::TagKind::kScalar || at->scalars.empty()) continue;
      const auto parts = SplitScore(std::string_view(at->name()).substr(prefix.size()));
      if (!parts || (parts->variant != a && parts->variant != b)) continue;
      Sides& sides = found[{std::string(parts->metric), std::string(parts->name)}];
      const reader::ScalarPoint last = at->scalars.back();
      const auto take = [&](std::optional<Newest>& side) {
        if (side && side->wall_time_seconds > last.wall_time_seconds) return;
        side = {.value = last.value, .wall_time_seconds = last.wall_time_seconds};
      };
      if (parts->variant == a) take(sides.a);
      if (parts->variant == b) take(sides.b);
    }
  }
  std::vector<ClassScore> scores;
  for (const auto& [key, sides] : found) {
    ClassScore score{.metric = key.first, .name = key.second};
    score.better = compression::DescribeMetric(key.first).better;
    if (sides.a) score.a = sides.a->value;
    if (sides.b) score.b = sides.b->value;
    scores.push_back(std::move(score));
  }
  std::ranges::stable_sort(scores, {}, [](const ClassScore& score) {
    const std::optional<double> drop = score.Drop();
    return std::tuple(score.metric, !drop, -drop.value_or(0));
  });
  return scores;
}

}  // namespace cboard::analysis
