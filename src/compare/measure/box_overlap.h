// Measures the overlap between the boxes of a compressed detector and the boxes of the baseline, at
// positions with a detection.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/measure/kept_answers.h"

namespace cboard::compare {

// Compares boxes by their overlap, because their SQNR is misleading. Box positions vary over the
// whole image, so an error of a tenth of their standard deviation is half a box. Box sizes vary
// little, so an error of a tenth of their standard deviation is negligible.
class BoxOverlap {
 public:
  // Adds the boxes at the positions marked in `is_detected`, which has outer * inner entries. The
  // first four channels are the box.
  void Add(std::span<const float> baseline, std::span<const float> variant,
           const ChannelSizes& sizes, const std::vector<bool>& is_detected);

  struct Agreement {
    std::size_t boxes = 0;
    std::size_t same = 0;     // Their intersection is at least half of their union.
    double mean_overlap = 0;  // Intersection divided by union.
  };
  // Returns the agreement of the boxes; nullopt if the values are not boxes. The channels are two
  // corners if the second corner is to the right of and below the first one in all boxes of the
  // baseline. They are center and size if all sizes are positive.
  std::optional<Agreement> Compare() const;

 private:
  struct Form {
    bool fits = true;  // All boxes of the baseline so far.
    std::size_t same = 0;
    double overlaps = 0;
  };

  std::array<Form, 2> forms_;  // Corners; center and size.
  std::size_t boxes_ = 0;
};

}  // namespace cboard::compare
