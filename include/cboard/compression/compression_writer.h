// Logs what compression did to a model.
//
//   cboard::CompressionWriter writer("runs/my_experiment");
//   writer.LogCompressionComparison("alexnet", fp32_metrics, int8_metrics);
//   writer.LogCompressionRatios("alexnet", fp32_metrics, int8_metrics);
//   writer.Close();
//
// The pair is called fp32 and int8; a ModelComparison takes any number of variants under any names.
// docs/formats/compression-tags.md lists the tags.
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

// How a variant was made: the columns of the HParams page.
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

// Thread-safe, as SummaryWriter is.
//
// Every Log method returns what it logged and what it left out, with the reason. It fails with the
// writer's error when the writer refuses, and with kInvalidArgument when a comparison has no
// baseline or two variants that would share a tag; what was logged before the failure stays.
class CompressionWriter : public SummaryWriter {
 public:
  explicit CompressionWriter(std::filesystem::path directory = {}, CompressionOptions options = {});

  // Every metric of every variant, except power: LogEnergyComparison logs that, with its ratios.
  Result<LogReport> LogCompressionComparison(const ModelComparison& comparison,
                                             std::int64_t step = 0);
  Result<LogReport> LogCompressionComparison(std::string_view model, const Metrics& fp32,
                                             const Metrics& int8, std::int64_t step = 0);

  // Logs gains and losses of each variant against the baseline, except for power.
  Result<LogReport> LogCompressionRatios(const ModelComparison& comparison, std::int64_t step = 0);
  Result<LogReport> LogCompressionRatios(std::string_view model, const Metrics& fp32,
                                         const Metrics& int8, std::int64_t step = 0);

  // energy_consumption_mw of every variant, its difference and its ratio to the baseline.
  Result<LogReport> LogEnergyComparison(const ModelComparison& comparison, std::int64_t step = 0);
  Result<LogReport> LogEnergyComparison(std::string_view model, const Metrics& fp32,
                                        const Metrics& int8, std::int64_t step = 0);

  // A histogram per variant that has samples. Samples that are not finite are left out.
  Result<LogReport> LogLatencyDistribution(const ModelComparison& comparison,
                                           std::int64_t step = 0);
  Result<LogReport> LogLatencyDistribution(std::string_view model,
                                           std::span<const double> fp32_latencies_ms,
                                           std::span<const double> int8_latencies_ms,
                                           std::int64_t step = 0);

  // One text with all facts; numbers among them, and the first three dimensions of input_shape,
  // also as scalars.
  Result<LogReport> LogModelMetadata(std::string_view model, const ModelInfo& info,
                                     std::int64_t step = 0);

  // The score, the plain mean and the factors of every variant. A variant that cannot be scored is
  // named in `omitted`.
  Result<LogReport> LogAurora(const ModelComparison& comparison, std::int64_t step = 0);
  Result<LogReport> LogAurora(std::string_view model, const Metrics& fp32, const Metrics& int8,
                              std::int64_t step = 0);

  // All of the above that `comparison` has figures for.
  Result<LogReport> LogModel(const ModelComparison& comparison, std::int64_t step = 0);

  // One row of the HParams page for `variant`, comparable across models and variants, as a run of
  // its own below this directory: <model> for int8 against fp32, <model>/<variant> otherwise.
  // Only finite figures become columns; without any, the row is left out.
  Result<LogReport> LogCompressionHParams(const ModelComparison& comparison,
                                          std::string_view variant,
                                          const CompressionConfig& config = {},
                                          std::int64_t step = 0);

  const CompressionOptions& compression_options() const { return options_; }

 protected:
  // Every tag passes through here; override it to organise tags in another way:
  //
  //   std::string TagFor(const TagParts& parts) const override {
  //     return "candidates/" + DefaultTag(parts);
  //   }
  //
  // The tag of a group also names the directory of its sub-runs, and may not leave this one.
  // Called from whichever threads log.
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
