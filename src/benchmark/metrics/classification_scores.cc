#include "cboard/benchmark/classification_scores.h"

#include <cmath>

namespace cboard::benchmark {

std::int64_t ArgMax(std::span<const double> values) {
  std::int64_t best = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (best < 0 || values[i] > values[static_cast<std::size_t>(best)]) {
      best = static_cast<std::int64_t>(i);
    }
  }
  return best;
}

void ClassificationScores::Add(std::span<const double> class_scores, std::int64_t label) {
  const std::int64_t predicted = ArgMax(class_scores);
  AddClass(predicted, label);
  if (predicted == label) return;  // For correct classes, AddClass also counts top-5.
  if (label < 0 || static_cast<std::size_t>(label) >= class_scores.size()) return;
  const double own = class_scores[static_cast<std::size_t>(label)];
  if (std::isnan(own)) return;
  // Number of classes that are ranked before the label: classes with a higher score, and earlier
  // classes with the same score.
  std::size_t before = 0;
  for (std::size_t i = 0; i < class_scores.size(); ++i) {
    if (class_scores[i] > own || (class_scores[i] == own && i < static_cast<std::size_t>(label))) {
      ++before;
    }
  }
  if (before < 5) ++top5_;
}

void ClassificationScores::AddClass(std::int64_t predicted, std::int64_t label) {
  ++sample_count_;
  ++classes_[label].labels;
  ++classes_[predicted].predictions;
  if (predicted != label) return;
  ++classes_[label].hits;
  ++top1_;
  ++top5_;
}

double ClassificationScores::Share(std::size_t count) const {
  return sample_count_ == 0 ? 0 : static_cast<double>(count) / static_cast<double>(sample_count_);
}

double ClassificationScores::ClassCount::F1() const {
  const std::size_t sum = labels + predictions;
  return sum == 0 ? 0 : 2 * static_cast<double>(hits) / static_cast<double>(sum);
}

double ClassificationScores::F1Macro() const {
  double sum = 0;
  for (const auto& [name, count] : classes_) sum += count.F1();
  return classes_.empty() ? 0 : sum / static_cast<double>(classes_.size());
}

double ClassificationScores::F1Weighted() const {
  double sum = 0;
  for (const auto& [name, count] : classes_) sum += count.F1() * static_cast<double>(count.labels);
  return sample_count_ == 0 ? 0 : sum / static_cast<double>(sample_count_);
}

}  // namespace cboard::benchmark
