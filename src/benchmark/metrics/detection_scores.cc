#include "cboard/benchmark/detection_scores.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cboard::benchmark {
namespace {

constexpr std::size_t kMaxDetections = 100;  // Maximum number per class and image.
constexpr std::size_t kRecallPoints = 101;

double AreaOf(const Box& box) {
  return std::max(0.0, box.right - box.left) * std::max(0.0, box.bottom - box.top);
}

// Intersection over union. For a crowd, the union is replaced by the area of the detection.
double Overlap(const Box& detection, const LabeledBox& label) {
  const double width =
      std::min(detection.right, label.box.right) - std::max(detection.left, label.box.left);
  const double height =
      std::min(detection.bottom, label.box.bottom) - std::max(detection.top, label.box.top);
  if (!(width > 0) || !(height > 0)) return 0;
  const double both = width * height;
  const double either =
      label.is_crowd ? AreaOf(detection) : AreaOf(detection) + AreaOf(label.box) - both;
  return both / either;
}

// These functions compute numpy.linspace(0.5, 0.95, 10) and numpy.linspace(0, 1, 101) exactly like
// pycocotools, because rounding matters for values that are equal to a limit.
double OverlapLimit(std::size_t index) {
  return index == 9 ? 0.95 : 0.5 + static_cast<double>(index) * ((0.95 - 0.5) / 9);
}
double RecallPoint(std::size_t index) {
  return index + 1 == kRecallPoints ? 1 : static_cast<double>(index) * 0.01;
}

}  // namespace

void DetectionScores::AddImage(const std::vector<Detection>& detections,
                               const std::vector<LabeledBox>& labels) {
  std::set<std::int64_t> class_ids;
  for (const Detection& detection : detections) class_ids.insert(detection.class_id);
  for (const LabeledBox& label : labels) class_ids.insert(label.class_id);
  for (const std::int64_t class_id : class_ids) {
    std::vector<Detection> found;
    std::ranges::copy_if(detections, std::back_inserter(found), [&](const Detection& detection) {
      return detection.class_id == class_id && !std::isnan(detection.score);
    });
    std::ranges::stable_sort(found, std::greater(), &Detection::score);
    if (found.size() > kMaxDetections) found.resize(kMaxDetections);
    std::vector<LabeledBox> wanted;  // Boxes of crowds come last.
    std::ranges::copy_if(labels, std::back_inserter(wanted),
                         [&](const LabeledBox& label) { return label.class_id == class_id; });
    std::ranges::stable_sort(wanted, {}, &LabeledBox::is_crowd);
    ClassMatches& matches = classes_[class_id];
    matches.label_count +=
        static_cast<std::size_t>(std::ranges::count(wanted, false, &LabeledBox::is_crowd));
    std::vector<Match> added(found.size());
    for (std::size_t limit = 0; limit < kOverlaps; ++limit) {
      std::vector<bool> is_taken(wanted.size());
      for (std::size_t d = 0; d < found.size(); ++d) {
        added[d].score = found[d].score;
        double best = std::min(OverlapLimit(limit), 1 - 1e-10);
        std::size_t chosen = wanted.size();
        for (std::size_t w = 0; w < wanted.size(); ++w) {
          if (is_taken[w] && !wanted[w].is_crowd) continue;
          // A match with a single object has priority over a match with a crowd.
          if (chosen < wanted.size() && !wanted[chosen].is_crowd && wanted[w].is_crowd) break;
          const double overlap = Overlap(found[d].box, wanted[w]);
          if (overlap < best) continue;
          best = overlap;
          chosen = w;
        }
        if (chosen == wanted.size()) continue;
        is_taken[chosen] = true;
        added[d].is_hit[limit] = !wanted[chosen].is_crowd;
        added[d].is_ignored[limit] = wanted[chosen].is_crowd;
      }
    }
    matches.matches.insert(matches.matches.end(), added.begin(), added.end());
  }
}

double DetectionScores::Mean(std::size_t first_overlap, std::size_t end_overlap) const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [class_id, of_class] : classes_) {
    if (of_class.label_count == 0) continue;
    std::vector<Match> matches = of_class.matches;
    std::ranges::stable_sort(matches, std::greater(), &Match::score);
    for (std::size_t limit = first_overlap; limit < end_overlap; ++limit) {
      std::vector<double> precision, recall;
      std::size_t hits = 0, misses = 0;
      for (const Match& match : matches) {
        if (match.is_ignored[limit]) continue;
        ++(match.is_hit[limit] ? hits : misses);
        precision.push_back(static_cast<double>(hits) / static_cast<double>(hits + misses));
        recall.push_back(static_cast<double>(hits) / static_cast<double>(of_class.label_count));
      }
      // Replaces each precision by the best precision at this or a higher recall.
      for (std::size_t i = precision.size(); i-- > 1;) {
        precision[i - 1] = std::max(precision[i - 1], precision[i]);
      }
      double average = 0;
      for (std::size_t point = 0; point < kRecallPoints; ++point) {
        const auto at = std::ranges::lower_bound(recall, RecallPoint(point));
        if (at != recall.end()) average += precision[static_cast<std::size_t>(at - recall.begin())];
      }
      sum += average / static_cast<double>(kRecallPoints);
      ++count;
    }
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace cboard::benchmark
