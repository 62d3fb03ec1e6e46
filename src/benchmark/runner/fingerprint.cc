#include <string>

#include "benchmark/files/file_hash.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/benchmark.h"

namespace cboard::benchmark {
namespace {

// FNV-1a. A fingerprint only distinguishes settings, so the hash need not be cryptographic.
std::uint64_t Digest(std::string_view text) {
  std::uint64_t digest = 14695981039346656037u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return digest;
}

// Describes data by its size and time, because hashing gigabytes would take too long.
std::string StateOf(const std::filesystem::path& path) {
  if (path.empty()) return "none";
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  const auto time = std::filesystem::last_write_time(path, ignored).time_since_epoch().count();
  return path.string() + "," + std::to_string(size) + "," + std::to_string(time);
}

}  // namespace

std::string FingerprintOf(const BenchmarkOptions& options) {
  std::string text = options.model + "|" + options.baseline;
  for (const VariantFile& file : options.variants) {
    text += "|" + file.name + "=" + HashFile(file.path).value_or("missing");
  }
  text += "|" + StateOf(options.run.data) + "|" + model::ToText(options.run.shapes) + "|" +
          std::to_string(options.run.batch) + "|" + std::to_string(options.run.threads) + "|" +
          options.run.provider + "|" + (options.measures_throughput ? "throughput" : "") + "|" +
          StateOf(options.evaluation.labels) + ":" + options.evaluation.labels_array + "|" +
          StateOf(options.evaluation.vocabulary) + "|" + options.evaluation.command + "|" +
          ShortestDecimal(options.max_seconds) + "|" + std::to_string(options.streams) +
          (options.measures_memory ? "|memory" : "|") +
          (options.measures_energy ? "|energy" : "|") + (options.finds_reasons ? "|reasons" : "|");
  for (const std::string& metric : options.evaluation.metrics) text += "|" + metric;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex(16, '0');
  std::uint64_t digest = Digest(text);
  for (std::size_t i = 16; i-- > 0; digest >>= 4) hex[i] = kDigits[digest & 15];
  return hex;
}

}  // namespace cboard::benchmark
