// Scores of classifiers, accumulated sample by sample.
//
//   ClassificationScores scores;
//   scores.Add(logits, /*label=*/3);
//   scores.Top1();
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace cboard::benchmark {

// Returns the position of the largest value; the first one if there are several. NaN is never the
// largest. Returns -1 if all values are NaN.
std::int64_t ArgMax(std::span<const double> values);

class ClassificationScores {
 public:
  // Adds one sample: the scores of all classes, and the true class.
  void Add(std::span<const double> class_scores, std::int64_t label);
  // Adds one sample of a model that returns a class instead of scores. Top-5 then equals top-1.
  void AddClass(std::int64_t predicted, std::int64_t label);

  std::size_t sample_count() const { return sample_count_; }

  // The share of samples whose label has the largest score (top-1), or one of the five largest
  // (top-5). If scores are equal, the class with the lower index ranks higher.
  double Top1() const { return Share(top1_); }
  double Top5() const { return Share(top5_); }

  // F1 over all classes that are a label or were predicted: the plain mean, and the mean weighted
  // by the number of labels.
  double F1Macro() const;
  double F1Weighted() const;

 private:
  struct ClassCount {
    std::size_t labels = 0;
    std::size_t predictions = 0;
    std::size_t hits = 0;
    double F1() const;
  };
  double Share(std::size_t count) const;

  std::map<std::int64_t, ClassCount> classes_;
  std::size_t sample_count_ = 0;
  std::size_t top1_ = 0;
  std::size_t top5_ = 0;
};

}  // namespace cboard::benchmark
