// Scores of classifiers, from counts that grow sample by sample.
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

// The position of the largest value; the first one of several. NaN is never the largest; a row of
// NaN has no class: -1.
std::int64_t ArgMax(std::span<const double> values);

class ClassificationScores {
 public:
  // One sample: the scores of all classes, and the true class.
  void Add(std::span<const double> class_scores, std::int64_t label);
  // A model that gives classes instead of scores: top-5 is then the same as top-1.
  void AddClass(std::int64_t predicted, std::int64_t label);

  std::size_t sample_count() const { return sample_count_; }

  // The share of samples whose label has the largest score, or one of the five largest. Ties of
  // top-5 count as in scikit-learn: the class that comes later is ranked higher.
  double Top1() const { return Share(top1_); }
  double Top5() const { return Share(top5_); }

  // F1 of every class that is a label or was predicted: the plain mean, and the mean weighted by
  // the number of labels.
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
