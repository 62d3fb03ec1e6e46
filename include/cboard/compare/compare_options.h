// Options of a comparison of two models: samples, limits, runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/input_shapes.h"

namespace cboard::compare {

inline constexpr std::size_t kDefaultSamples = 20;

struct CompareOptions {
  std::filesystem::path data;  // As OpenSamples takes it; generated when empty.
  // Shapes of generated samples, where the files leave sizes open.
  model::InputShapes shapes;
  // At most; 0 compares weights only. Without a number, kDefaultSamples where ONNX Runtime is
  // found and runs both models, and else weights only: who gives one, `data`, `shapes` or `verify`
  // cannot do without.
  std::optional<std::size_t> samples;
  bool histograms = false;
  Thresholds thresholds;
  // Number of the most damaged parts that are restored, one at a time, to measure the output SQNR;
  // up to six more for the layers with the largest loss; 0 for no such runs. For ONNX files only.
  // Takes up to 11 runs over all samples besides those of the parts, and up to 41 more if these
  // parts do not cost the most.
  std::size_t verify = 0;
  // CPU time for runs with parts undone, which find what is to blame for a broken or degraded end;
  // 0 for none: layers are then ranked by their own figures. It is the CPU time of these runs
  // alone, so other work of the machine or the process does not change the answer. The runs that
  // find the first cause and its fix may take up to three times as long.
  double blame_seconds = 60;
  // Hears how many CPU seconds of how many these runs have taken; false stops them.
  std::function<bool(double seconds, double max_seconds)> blame_progress;
  // Hears how many samples of how many are done; false stops there.
  std::function<bool(std::size_t done, std::size_t total)> progress;
  // Likewise of the runs for `verify`, all samples of all of them; what was measured until it says
  // false is kept.
  std::function<bool(std::size_t done, std::size_t total)> verify_progress;
};

}  // namespace cboard::compare
