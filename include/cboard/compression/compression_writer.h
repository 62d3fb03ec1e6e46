// Logs the effect of compression on a model.
//
//   cboard::CompressionWriter writer("runs/my_experiment");
//   writer.LogCompressionComparison("alexnet", fp32_metrics, int8_metrics);
//   writer.LogCompressionRatios("alexnet", fp32_metrics, int8_metrics);
//   writer.Close();
//
// Here the variants are named fp32 and int8; a ModelComparison takes any number of variants with
// any names. docs/formats/compression-tags.md lists the tags.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/compression/aurora.h"
#include "cboard/compression/comparison.h"
#include "cboard/compression/log_plan.h"
#include "cboard/compression/tags.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compression {

struct CompressionOptions {
  TagScheme tags = TagScheme::kBoth;
  AuroraOptions aurora;
  WriterOptions writer;
};

// The compression settings of a variant: the columns of the HParams page.
struct CompressionConfig {
  std::optional<int> weight_bits;
  std::optional<int> activation_bits;
  std::string scheme;       // symmetric, asymmetric, …
  std::string granularity;  // per_tensor, per_channel, per_group, …
  std::string calibration;  // minmax, entropy, percentile, …
  std::optional<double> pruning_ratio;
  std::optional<int> early_stopping_patience;
  std::optional<double> early_stopping_min_delta;
  std::vector<std::pair<std::string, writer::HParam>> others;
};

// Logs the effect of compression. Thread-safe, like SummaryWriter.
//
// Every Log method returns the values that it logged, and those that it omitted with the reason. It
// fails with the writer's error, and with kInvalidArgument if a comparison has no baseline or two
// variants that would get the same tag. Values that were logged before the failure stay.
class CompressionWriter : public SummaryWriter {
 public:
  explicit CompressionWriter(std::filesystem::path directory = {}, CompressionOptions options = {});

  // Logs every metric of every variant except power, because LogEnergyComparison logs power with
  // its ratios.
  Result<LogReport> LogCompressionComparison(const ModelComparison& comparison,
                                             std::int64_t step = 0);
  Result<LogReport> LogCompressionComparison(std::string_view model, const Metrics& fp32,
                                             const Metrics& int8, std::int64_t step = 0);

  // Logs the ratios of each variant to the baseline, except for power.
  Result<LogReport> LogCompressionRatios(const ModelComparison& comparison, std::int64_t step = 0);
  Result<LogReport> LogCompressionRatios(std::string_view model, const Metrics& fp32,
                                         const Metrics& int8, std::int64_t step = 0);

  // Logs energy_consumption_mw of every variant, with its difference and ratio to the baseline.
  Result<LogReport> LogEnergyComparison(const ModelComparison& comparison, std::int64_t step = 0);
  Result<LogReport> LogEnergyComparison(std::string_view model, const Metrics& fp32,
                                        const Metrics& int8, std::int64_t step = 0);

  // Logs a histogram for each variant that has latency samples. Non-finite samples are skipped.
  Result<LogReport> LogLatencyDistribution(const ModelComparison& comparison,
                                           std::int64_t step = 0);
  Result<LogReport> LogLatencyDistribution(std::string_view model,
                                           std::span<const double> fp32_latencies_ms,
                                           std::span<const double> int8_latencies_ms,
                                           std::int64_t step = 0);

  // Logs all facts as one text. Numbers, and the first three dimensions of input_shape, are also
  // logged as scalars.
  Result<LogReport> LogModelMetadata(std::string_view model, const ModelInfo& info,
                                     std::int64_t step = 0);

  // Logs the AURORA score, the plain mean and the factors of every variant. A variant without a
  // score is named in `omitted`.
  Result<LogReport> LogAurora(const ModelComparison& comparison, std::int64_t step = 0);
  Result<LogReport> LogAurora(std::string_view model, const Metrics& fp32, const Metrics& int8,
                              std::int64_t step = 0);

  // Calls all Log methods that have values in `comparison`.
  Result<LogReport> LogModel(const ModelComparison& comparison, std::int64_t step = 0);

  // Logs one row of the HParams page for `variant`, so that rows of all models and variants can be
  // compared. The row is a separate run below this directory: <model> for int8 against fp32,
  // <model>/<variant> otherwise. Only finite metrics become columns; if there is none, the row is
  // omitted.
  Result<LogReport> LogCompressionHParams(const ModelComparison& comparison,
                                          std::string_view variant,
                                          const CompressionConfig& config = {},
                                          std::int64_t step = 0);

  const CompressionOptions& compression_options() const { return options_; }

 protected:
  // Returns the tag of a value; override it to use another tag structure:
  //
  //   std::string TagFor(const TagParts& parts) const override {
  //     return "candidates/" + DefaultTag(parts);
  //   }
  //
  // The tag of a group also names the directory of its sub-runs. The directories must be below the
  // writer's directory. May be called from any thread that logs.
  virtual std::string TagFor(const TagParts& parts) const { return DefaultTag(parts); }

 private:
  Result<LogReport> Log(Result<LogPlan> plan, const ModelComparison& comparison, std::int64_t step);
  Result<void> LogMetadataScalar(std::string_view model, std::string_view name, double value,
                                 std::int64_t step, LogReport& report);

  CompressionOptions options_;
};

}  // namespace cboard::compression

namespace cboard {
using compression::CompressionWriter;
}  // namespace cboard
