// Reads benchmark results: the JSON that compression engines write, and tables of rows.
//
//   {"alexnet": {"fp32": {"accuracy": 0.9945, "latency_mean_ms": 261.02, …},
//                "int8": {…},
//                "model_info": {"library": "torchvision", …},
//                "benchmark_time_seconds": 854.32}}
//
//   {"llm_int4": [{"model": "gpt-j-6b", "config": "FP32", "hellaswag": 0.4954}, …]}
//
// docs/formats/compression-tags.md has the rules: which keys are variants, which variant is the
// baseline, and how duplicate names are handled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/comparison.h"

namespace cboard::compression {

struct BenchmarkFile {
  std::string name;  // results.json gives "results"
  std::vector<ModelComparison> models;
  std::vector<Omission> skipped;      // Models that could not be used, with the reason.
  std::vector<std::string> warnings;  // Values that were converted or corrected when read.
};

// Maximum size of a benchmark file. Results of ten thousand models take 20 MB, so a larger file has
// other content.
inline constexpr std::uint64_t kMaxBenchmarkBytes = std::uint64_t{1} << 30;

// Parses a text with benchmark results; `source` is the file's name for errors. Fails with
// kInvalidArgument if it is not JSON ("results.json:12:5: expected ':' after the key, found '}'")
// or contains nothing that can be a model. NaN, Infinity and similar literals are accepted with a
// warning.
Result<BenchmarkFile> ParseBenchmarkJson(std::string text, std::string_view source);

// Reads a file with benchmark results. Fails like ParseBenchmarkJson, with kNotFound or
// kPermissionDenied, and with kResourceExhausted if the file exceeds kMaxBenchmarkBytes.
Result<BenchmarkFile> ReadBenchmarkJson(const std::filesystem::path& path);

}  // namespace cboard::compression
