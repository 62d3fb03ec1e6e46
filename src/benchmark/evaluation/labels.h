// Labels of samples, from the file of --labels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/detection_scores.h"

namespace cboard::benchmark {

// Numbers of one array, a row per sample.
struct NumberLabels {
  std::string name;  // For messages: "val.npz:y".
  std::size_t sample_count = 0;
  std::size_t row_size = 1;  // Numbers of one sample.
  std::vector<double> values;
};

// The array, or the only one of the file. Fails with the names of the arrays when it is not there.
Result<NumberLabels> ReadNumberLabels(const std::filesystem::path& file, const std::string& array);

// Arrays `boxes` [n, 4] with left, top, right, bottom, `classes` [n], `image` [n], which counts
// samples from 0, and optionally `crowd` [n]. Boxes by sample; fails when one is of a sample beyond
// `sample_count`.
Result<std::vector<std::vector<LabeledBox>>> ReadBoxLabels(const std::filesystem::path& file,
                                                           std::size_t sample_count);

// A line per sample.
Result<std::vector<std::string>> ReadTextLabels(const std::filesystem::path& file);

}  // namespace cboard::benchmark
