// Writes the log of one trial of a tuning.
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

// Writes the log of one trial. Not thread-safe.
class TuningLogger::Trial {
 public:
  // Writes into `directory`. The directory must exist.
  Trial(const std::filesystem::path& directory, const WriterOptions& options, FusedOps fused)
      : writer_(directory, options), fused_(std::move(fused)) {}

  // Writes the events that begin and end a row of the HParams page. An empty event is skipped.
  Result<void> Begin(const std::string& session_start, std::string session_end);

  SummaryWriter& writer() { return writer_; }
  TrialReport& report() { return report_; }

  Result<void> AddOutput(std::string_view op, const TensorView& batch, std::string_view precision);
  Result<void> AddParameter(std::string_view op, std::string_view parameter,
                            const TensorView& values, std::string_view precision);
  Result<void> AddTensorFlowGraph(const std::filesystem::path& file);
  Result<void> AddNodeOutput(std::string_view node, const TensorView& first_batch);

  // Writes the histograms of outputs and the accuracies, because they are complete only at the end
  // of the trial, and closes the file.
  Result<void> End(std::span<const double> accuracies);
  // Ends the log of a failed trial.
  Result<void> EndFailed(std::string_view reason);

 private:
  struct Output {
    std::string tag;
    HistogramSum sum;
  };

  Result<void> WriteOutputs();
  // Writes the summed histogram under `tag`, and the number of non-finite values as a separate
  // value.
  Result<void> WriteSum(const std::string& tag, const HistogramSum& sum);
  // Writes a histogram with bins of equal width, as neural-compressor does.
  Result<void> WriteEqualBins(const std::string& tag, const TensorView& values);

  SummaryWriter writer_;
  FusedOps fused_;
  TrialReport report_;
  std::deque<Output> outputs_;  // In the order in which operators ran.
  std::map<std::string, std::size_t, std::less<>> output_index_;
  std::set<std::string, std::less<>> written_;
  std::optional<TrialGraph> graph_;
  std::string session_end_;
};

}  // namespace cboard::compression
