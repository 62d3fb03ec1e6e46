#include "compare/measure/box_overlap.h"

#include <algorithm>
#include <cmath>

namespace cboard::compare {
namespace {

constexpr double kSameBox = 0.5;

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  double Area() const { return std::max(0.0, right - left) * std::max(0.0, bottom - top); }
};

Box BoxOf(const std::array<double, 4>& values, bool is_center) {
  if (!is_center) return {values[0], values[1], values[2], values[3]};
  return {values[0] - values[2] / 2, values[1] - values[3] / 2, values[0] + values[2] / 2,
          values[1] + values[3] / 2};
}

double OverlapOf(const Box& a, const Box& b) {
  const Box shared{std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                   std::min(a.bottom, b.bottom)};
  const double area = shared.Area(), all = a.Area() + b.Area() - area;
  const double overlap = area / all;
  return std::isfinite(overlap) ? overlap : 0;
}

}  // namespace

void BoxOverlap::Add(std::span<const float> baseline, std::span<const float> variant,
                     const ChannelSizes& sizes, const std::vector<bool>& is_detected) {
  for (std::size_t position = 0; position < is_detected.size(); ++position) {
    if (!is_detected[position]) continue;
    const std::size_t outer = position / sizes.inner, inner = position % sizes.inner;
    std::array<double, 4> ours, theirs;
    for (std::size_t c = 0; c < ours.size(); ++c) {
      const std::size_t at = (outer * sizes.channels + c) * sizes.inner + inner;
      ours[c] = baseline[at];
      theirs[c] = variant[at];
    }
    ++boxes_;
    for (std::size_t f = 0; f < forms_.size(); ++f) {
      const Box box = BoxOf(ours, f == 1);
      forms_[f].fits = forms_[f].fits && box.right > box.left && box.bottom > box.top;
      const double overlap = OverlapOf(box, BoxOf(theirs, f == 1));
      forms_[f].overlaps += overlap;
      if (overlap >= kSameBox) ++forms_[f].same;
    }
  }
}

std::optional<BoxOverlap::Agreement> BoxOverlap::Compare() const {
  const auto form = std::ranges::find(forms_, true, &Form::fits);
  if (boxes_ == 0 || form == forms_.end()) return std::nullopt;
  return Agreement{.boxes = boxes_,
                   .same = form->same,
                   .mean_overlap = form->overlaps / static_cast<double>(boxes_)};
}

}  // namespace cboard::compare
