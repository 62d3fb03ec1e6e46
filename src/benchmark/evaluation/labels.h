// Reads the labels of samples from the file given by --labels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/detection_scores.h"

namespace cboard::benchmark {

// An array of numbers with one row per sample.
struct NumberLabels {
  std::string name;  // Name for error messages: "val.npz:y".
  std::size_t sample_count = 0;
  std::size_t row_size = 1;  // Count of numbers per sample.
  std::vector<double> values;
};

// Reads the array `array`, or the only array of the file. If it does not exist, the error lists the
// names of all arrays.
Result<NumberLabels> ReadNumberLabels(const std::filesystem::path& file, const std::string& array);

// Reads the boxes of each sample from the arrays `boxes` [n, 4] (left, top, right, bottom),
// `classes` [n], `image` [n] (index of the sample, from 0) and optionally `crowd` [n]. Fails if an
// index is not below `sample_count`.
Result<std::vector<std::vector<LabeledBox>>> ReadBoxLabels(const std::filesystem::path& file,
                                                           std::size_t sample_count);

// Reads a text file with one line per sample.
Result<std::vector<std::string>> ReadTextLabels(const std::filesystem::path& file);

}  // namespace cboard::benchmark
