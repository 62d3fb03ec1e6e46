// One trial of a tuning, on its way to the disk.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/compression/tuning_logger.h"
#include "cboard/writer/summary_writer.h"
#include "compression/tuning/histogram_sum.h"
#include "compression/tuning/trial_graph.h"

namespace cboard::compression {

// Not thread-safe.
class TuningLogger::Trial {
 public:
  // Writes into `directory`, which exists.
  Trial(const std::filesystem::path& directory, const WriterOptions& options, FusedOps fused)
      : writer_(directory, options), fused_(std::move(fused)) {}

  // The events that begin and end a row of the HParams page; empty ones are not written.
  Result<void> Begin(const std::string& session_start, std::string session_end);

  SummaryWriter& writer() { return writer_; }
  TrialReport& report() { return report_; }

  Result<void> AddOutput(std::string_view op, const TensorView& batch, std::string_view precision);
  Result<void> AddParameter(std::string_view op, std::string_view parameter,
                            const TensorView& values, std::string_view precision);
  Result<void> AddTensorFlowGraph(const std::filesystem::path& file);
  Result<void> AddNodeOutput(std::string_view node, const TensorView& first_batch);

  // Writes histograms of outputs and accuracies, which are known only at the end, and closes the
  // file.
  Result<void> End(std::span<const double> accuracies);
  // The same for a trial that failed.
  Result<void> EndFailed(std::string_view reason);

 private:
  struct Output {
    std::string tag;
    HistogramSum sum;
  };

  Result<void> WriteOutputs();
  // Writes the sum under `tag`, and beside it how many values were not finite.
  Result<void> WriteSum(const std::string& tag, const HistogramSum& sum);
  // A histogram of equal bins, as neural-compressor makes them.
  Result<void> WriteEqualBins(const std::string& tag, const TensorView& values);

  SummaryWriter writer_;
  FusedOps fused_;
  TrialReport report_;
  std::deque<Output> outputs_;  // In the order in which operations ran.
  std::map<std::string, std::size_t, std::less<>> output_index_;
  std::set<std::string, std::less<>> written_;
  std::optional<TrialGraph> graph_;
  std::string session_end_;
};

}  // namespace cboard::compression
