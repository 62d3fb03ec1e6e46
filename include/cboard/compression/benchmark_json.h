// Reads benchmark results: the JSON that compression engines write, and tables of rows.
//
//   {"alexnet": {"fp32": {"accuracy": 0.9945, "latency_mean_ms": 261.02, …},
//                "int8": {…},
//                "model_info": {"library": "torchvision", …},
//                "benchmark_time_seconds": 854.32}}
//
//   {"llm_int4": [{"model": "gpt-j-6b", "config": "FP32", "hellaswag": 0.4954}, …]}
//
// docs/formats/compression-tags.md has the rules: what counts as a variant, which one is the
// baseline, what becomes of names that occur twice.
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
  std::string name;  // results.json -> results
  std::vector<ModelComparison> models;
  std::vector<Omission> skipped;      // Models that could not be used, and why.
  std::vector<std::string> warnings;  // Values that were not read literally.
};

// Results of ten thousand models take 20 MB; more than this is something else.
inline constexpr std::uint64_t kMaxBenchmarkBytes = std::uint64_t{1} << 30;

// Reads a text; `source` is the name of the file it came from. Fails with kInvalidArgument when it
// is not JSON ("results.json:12:5: expected ':' after the key, found '}'") or holds nothing that
// could be a model. NaN, Infinity and the like are accepted, with a warning.
Result<BenchmarkFile> ParseBenchmarkJson(std::string text, std::string_view source);

// Reads a file. Fails as above, with kNotFound, kPermissionDenied, and with kResourceExhausted
// beyond kMaxBenchmarkBytes.
Result<BenchmarkFile> ReadBenchmarkJson(const std::filesystem::path& path);

}  // namespace cboard::compression
