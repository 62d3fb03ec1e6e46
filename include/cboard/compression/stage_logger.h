// Logs the stages of post-training quantization, a run per stage, under the names and in the layout
// of the Model Compression Toolkit:
//
//   SetLogFolder("/logger/dir/path");
//   CBOARD_ASSIGN_OR_RETURN(auto logger, StageLogger::Open());
//   logger->LogGraph("initial_graph", graph);
//   logger->LogStatistics("thresholds_selection", "relu1", statistics);
//   logger->LogSimilarity(similarity);
//   logger->Close();
//
//   /logger/dir/path/logs_16112026_022117/tensorboard_logs/
//     initial_graph/                                    graph and Resources
//     thresholds_selection/                             the same, and a histogram per layer
//     thresholds_selection/{min,max,mean}_per_channel/  a scalar per layer; its step is the channel
//     figures/                                          similarity per sample, bit widths
//
// docs/stages.md walks through it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/model_similarity.h"
#include "cboard/compression/stage_graph.h"
#include "cboard/compression/stage_statistics.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compression {

// From now on, StageLogger::Open() without a folder logs below <folder>/logs_<ddmmYYYY_HHMMSS>,
// which is created now; a name that is taken gets _2, _3, … Returns that directory. Fails with the
// error of the operating system when it cannot be created, and what was set before stays. An empty
// folder ends logging, and returns an empty path. Thread-safe.
Result<std::filesystem::path> SetLogFolder(const std::filesystem::path& folder,
                                           const Clock* clock = nullptr);

// The directory that SetLogFolder made; nothing before the first call or after an empty one.
std::optional<std::filesystem::path> LogFolder();

struct StageLoggerOptions {
  std::string model = "model";  // The first part of tags that our own pages read.
  WriterOptions writer;
};

// Bit widths of a layer.
struct LayerBits {
  std::string layer;
  std::string op;
  std::optional<int> weights;
  std::optional<int> activation;
};

// Not thread-safe. The destructor closes.
//
// Every method returns the first error; what was logged before it stays.
class StageLogger {
 public:
  // Below the folder of SetLogFolder. Fails with kFailedPrecondition when none is set.
  static Result<std::unique_ptr<StageLogger>> Open(StageLoggerOptions options = {});

  // Below <directory>/tensorboard_logs, whatever SetLogFolder says. Fails when the directory cannot
  // be written.
  static Result<std::unique_ptr<StageLogger>> OpenIn(const std::filesystem::path& directory,
                                                     StageLoggerOptions options = {});

  ~StageLogger();
  StageLogger(const StageLogger&) = delete;
  StageLogger& operator=(const StageLogger&) = delete;

  // The first part of tags that our own pages read.
  const std::string& model() const { return options_.model; }

  // The directory to open with `compression-board --logdir`.
  const std::filesystem::path& directory() const { return directory_; }

  // `stage` is one of StageNames(); any other fails with kInvalidArgument, since no page would find
  // it. Graph and Resources.
  Result<void> LogGraph(std::string_view stage, const StageGraph& graph);

  // A histogram, and the least, greatest and mean value of each channel; channels without a finite
  // value are left out. NaN and infinities are logged as the scalar <layer>/non_finite_count.
  Result<void> LogStatistics(std::string_view stage, std::string_view layer,
                             const OutputStatistics& statistics);

  // The same from parts that are there already.
  Result<void> LogHistogram(std::string_view stage, std::string_view layer,
                            const tensor::HistogramData& histogram);
  Result<void> LogChannels(std::string_view stage, std::string_view layer,
                           std::span<const tensor::TensorStatistics> channels);

  // For the page of layers: <model>/layers/<layer>/<metric>/<stage>, each that is a number.
  Result<void> LogLayerFigures(std::string_view stage, std::string_view layer,
                               const std::map<std::string, double>& figures);

  // In the run `figures`, for each sample: the picture similarity_distance_sample_<i> (the first
  // kSimilaritySamples) and the scalar similarity/sample_<i>, whose step is the point; besides,
  // similarity/points/<layer> at the step of its point, the mean cosine. In `stage`, for the page
  // of layers: <model>/layers/<layer>/{cosine,accumulated_sqnr_db,…}/<stage>.
  Result<void> LogSimilarity(const ModelSimilarity& similarity,
                             std::string_view stage = "after_quantization");

  // Logs the errors of the quantizers alone: each output of a layer beside the same output after
  // its quantizer. The Layers page ranks by them: sqnr_db and worst_channel_sqnr_db, in `stage`.
  Result<void> LogLocalErrors(const ModelSimilarity& local,
                              std::string_view stage = "after_quantization");

  // Only what goes into `figures`. `samples` hold a cosine per layer, NaN where there is none.
  // Fails with kInvalidArgument without samples.
  Result<void> LogCosines(std::span<const std::string> layers,
                          std::span<const std::vector<double>> samples);

  // In the run `figures`: the pictures "Weights final bit-width config" and "Activation final
  // bit-width config", each when a layer has such bits, and the scalars bits/weights/<layer> and
  // bits/activations/<layer> at the step of the layer's position.
  Result<void> LogBitWidths(std::span<const LayerBits> layers);

  // The writer of a stage's run, for what has no method here. Borrowed until Close. Fails as
  // LogGraph does for a name that is none of a stage.
  Result<SummaryWriter*> WriterOfStage(std::string_view stage);

  Result<void> Flush();
  Result<void> Close();

 private:
  StageLogger(std::filesystem::path directory, StageLoggerOptions options);

  Result<SummaryWriter*> WriterOf(const std::string& run);
  std::filesystem::path directory_;
  StageLoggerOptions options_;
  std::map<std::string, std::unique_ptr<SummaryWriter>> writers_;  // By run.
};

}  // namespace cboard::compression

namespace cboard {
using compression::SetLogFolder;
using compression::StageLogger;
}  // namespace cboard
