#include "cboard/analysis/similarity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "analysis/runs/run_path.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kPoints = "similarity/points/";
constexpr std::string_view kSample = "similarity/sample_";

bool IsPoint(std::int64_t step) { return step >= 0 && step < kMaxSimilarityPoints; }

std::optional<double> Number(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::optional<int> SampleNumber(std::string_view tag) {
  if (!tag.starts_with(kSample)) return std::nullopt;
  tag.remove_prefix(kSample.size());
  int number = 0;
  const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), number);
  if (error != std::errc() || end != tag.data() + tag.size()) return std::nullopt;
  return number;
}

void ReadPoints(const reader::Run& run, StageSimilarity& similarity) {
  std::map<std::int64_t, std::pair<std::string, std::optional<double>>> points;
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kScalar || tag.scalars.empty()) continue;
    if (!tag.name().starts_with(kPoints)) continue;
    const reader::ScalarPoint point = tag.scalars.back();
    if (IsPoint(point.step)) {
      points[point.step] = {std::string(tag.name().substr(kPoints.size())), Number(point.value)};
    }
  }
  if (points.empty()) return;
  similarity.layers.resize(static_cast<std::size_t>(points.rbegin()->first) + 1);
  similarity.means.resize(similarity.layers.size());
  for (auto& [step, point] : points) {
    similarity.layers[static_cast<std::size_t>(step)] = std::move(point.first);
    similarity.means[static_cast<std::size_t>(step)] = point.second;
  }
}

}  // namespace

StageSimilarity ReadSimilarity(const reader::Snapshot& snapshot, const StageTimeline& timeline) {
  StageSimilarity similarity;
  std::map<int, SampleSimilarity> samples;
  for (const std::string& name : timeline.extras) {
    const reader::Run* const run =
        LastPart(WithoutDot(name)) == "figures" ? snapshot.FindRun(name) : nullptr;
    if (run == nullptr) continue;
    ReadPoints(*run, similarity);
    for (const reader::Tag& tag : run->tags) {
      if (tag.kind() != reader::TagKind::kScalar) continue;
      const std::optional<int> number = SampleNumber(tag.name());
      if (!number) continue;
      SampleSimilarity& sample = samples[*number];
      sample.name = "sample_" + std::to_string(*number);
      sample.cosines.resize(similarity.layers.size());
      for (const reader::ScalarPoint& point : tag.scalars.ToPoints()) {
        if (!IsPoint(point.step)) continue;
        const auto index = static_cast<std::size_t>(point.step);
        if (index < sample.cosines.size()) sample.cosines[index] = Number(point.value);
      }
    }
  }
  for (auto& [number, sample] : samples) similarity.samples.push_back(std::move(sample));
  return similarity;
}

}  // namespace cboard::analysis
