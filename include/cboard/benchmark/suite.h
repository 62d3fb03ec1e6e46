// A list of models to measure, as YAML:
//
//   models:
//     - name: resnet18
//       variants: {fp32: resnet18.onnx, int8: resnet18_int8.onnx}
//       data: val.npz
//       labels: val.npz:y
//       metric: [top1, top5]
//     - variants: [bert_fp32.onnx, bert_int8.onnx]
//       shape: {input_ids: [1, 128]}
//       eval: python eval.py {model}
//
// Paths are relative to the file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/benchmark.h"

namespace cboard::benchmark {

// Parses the options of each model; missing keys are taken from `defaults`. Fails with
// kInvalidArgument, naming the line and what was expected, for an unknown key, a model without
// variants, two models with one name, or more than 1,000 models.
Result<std::vector<BenchmarkOptions>> ParseSuite(std::string_view text,
                                                 const std::filesystem::path& file,
                                                 const BenchmarkOptions& defaults);
Result<std::vector<BenchmarkOptions>> ReadSuite(const std::filesystem::path& file,
                                                const BenchmarkOptions& defaults);

// Parses a duration: "60", "60s", "2m", "1h"; nullopt for other text and for a duration of 0 or
// less.
std::optional<double> ParseSeconds(std::string_view text);

// Parses scores that the caller has measured: {"int8": {"accuracy": 0.91}, "w4a8": {"error": "…"}}.
Result<std::map<std::string, GivenScores, std::less<>>> ReadScores(
    const std::filesystem::path& file);

}  // namespace cboard::benchmark
