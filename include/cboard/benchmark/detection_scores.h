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
  bool is_crowd = false;  // A group: detections in it are neither right nor wrong.
};

// Keeps matches of every image, about 30 bytes for each detection.
class DetectionScores {
 public:
  // At most 100 detections of each class count, those with the highest scores.
  void AddImage(const std::vector<Detection>& detections, const std::vector<LabeledBox>& labels);

  // The mean over classes of the average precision with 101 recall points, at an overlap of 0.5,
  // and as the mean of overlaps 0.5, 0.55, …, 0.95. Nothing to detect gives 0.
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
    std::size_t label_count = 0;  // Without crowds.
  };
  double Mean(std::size_t first_overlap, std::size_t end_overlap) const;

  std::map<std::int64_t, ClassMatches> classes_;
};

}  // namespace cboard::benchmark
