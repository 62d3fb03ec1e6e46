// Mean average precision of object detectors, by the rules of COCO.
//
//   DetectionScores scores;
//   scores.AddImage({{{10, 10, 50, 50}, 1, 0.9}}, {{{12, 11, 49, 52}, 1}});
//   scores.MeanAveragePrecision();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace cboard::benchmark {

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

struct Detection {
  Box box;
  std::int64_t class_id = 0;
  double score = 0;
};

struct LabeledBox {
  Box box;
  std::int64_t class_id = 0;
  // The box contains a group of objects: detections in it are neither right nor wrong.
  bool is_crowd = false;
};

// Accumulates mean average precision. Stores the matches of every image, about 30 bytes per
// detection.
class DetectionScores {
 public:
  // Adds an image. For each class, only the 100 detections with the highest scores are used.
  void AddImage(const std::vector<Detection>& detections, const std::vector<LabeledBox>& labels);

  // The average precision with 101 recall points, averaged over classes: one value at an IoU of
  // 0.5, and one averaged over the IoUs 0.5, 0.55, …, 0.95. Both are 0 if there are no labels.
  double MeanAveragePrecision50() const { return Mean(0, 1); }
  double MeanAveragePrecision() const { return Mean(0, kOverlaps); }

 private:
  static constexpr std::size_t kOverlaps = 10;

  struct Match {
    double score = 0;
    std::array<bool, kOverlaps> is_hit = {};
    std::array<bool, kOverlaps> is_ignored = {};
  };
  struct ClassMatches {
    std::vector<Match> matches;
    std::size_t label_count = 0;  // Number of labels that are not crowds.
  };
  double Mean(std::size_t first_overlap, std::size_t end_overlap) const;

  std::map<std::int64_t, ClassMatches> classes_;
};

}  // namespace cboard::benchmark
