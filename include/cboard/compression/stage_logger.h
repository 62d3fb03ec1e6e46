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

// Sets the parent folder of later StageLogger::Open() calls. Creates
// <folder>/logs_<ddmmYYYY_HHMMSS> and returns it; if the name is taken, _2, _3, … is appended.
// Fails with the error of the operating system if the folder cannot be created; the previous
// setting then stays. An empty folder switches logging off and returns an empty path. Thread-safe.
Result<std::filesystem::path> SetLogFolder(const std::filesystem::path& folder,
                                           const Clock* clock = nullptr);

// The directory that SetLogFolder created; nullopt before the first call or after a call with an
// empty folder.
std::optional<std::filesystem::path> LogFolder();

struct StageLoggerOptions {
  std::string model = "model";  // First part of the tags that the Layers page reads.
  WriterOptions writer;
};

// The bit widths of one layer's weights and activations.
struct LayerBits {
  std::string layer;
  std::string op;
  std::optional<int> weights;
  std::optional<int> activation;
};

// Logs the stages of a model. Not thread-safe. The destructor closes the logger.
//
// Every method returns the first error; values that were logged before stay.
class StageLogger {
 public:
  // Opens a logger below the folder of SetLogFolder. Fails with kFailedPrecondition if none is set.
  static Result<std::unique_ptr<StageLogger>> Open(StageLoggerOptions options = {});

  // Opens a logger below <directory>/tensorboard_logs; SetLogFolder has no effect. Fails if the
  // directory cannot be written.
  static Result<std::unique_ptr<StageLogger>> OpenIn(const std::filesystem::path& directory,
                                                     StageLoggerOptions options = {});

  ~StageLogger();
  StageLogger(const StageLogger&) = delete;
  StageLogger& operator=(const StageLogger&) = delete;

  // The first part of the tags that the Layers page reads.
  const std::string& model() const { return options_.model; }

  // The directory to pass to `compression-board --logdir`.
  const std::filesystem::path& directory() const { return directory_; }

  // Logs the graph and its Resources. `stage` must be one of StageNames(), because pages find no
  // other names; otherwise fails with kInvalidArgument.
  Result<void> LogGraph(std::string_view stage, const StageGraph& graph);

  // Logs a histogram, and the min, max and mean of each channel; channels without a finite value
  // are skipped. The number of NaN and infinite values is the scalar <layer>/non_finite_count.
  Result<void> LogStatistics(std::string_view stage, std::string_view layer,
                             const OutputStatistics& statistics);

  // Logs statistics that the caller has already computed.
  Result<void> LogHistogram(std::string_view stage, std::string_view layer,
                            const tensor::HistogramData& histogram);
  Result<void> LogChannels(std::string_view stage, std::string_view layer,
                           std::span<const tensor::TensorStatistics> channels);

  // Logs layer metrics for the Layers page: <model>/layers/<layer>/<metric>/<stage>; non-numeric
  // values are skipped.
  Result<void> LogLayerFigures(std::string_view stage, std::string_view layer,
                               const std::map<std::string, double>& figures);

  // Logs the similarity of all samples. For each sample, the run `figures` gets the image
  // similarity_distance_sample_<i> (only the first kSimilaritySamples) and the scalar
  // similarity/sample_<i>, whose step is the comparison point. For each comparison point it gets
  // the mean cosine similarity/points/<layer>, whose step is also the point. `stage` gets
  // <model>/layers/<layer>/{cosine,accumulated_sqnr_db,…}/<stage> for the Layers page.
  Result<void> LogSimilarity(const ModelSimilarity& similarity,
                             std::string_view stage = "after_quantization");

  // Logs the local error of each quantizer: a layer's output compared with the same output after
  // its quantizer. `stage` gets sqnr_db and worst_channel_sqnr_db, and the Layers page ranks the
  // layers by these metrics.
  Result<void> LogLocalErrors(const ModelSimilarity& local,
                              std::string_view stage = "after_quantization");

  // Logs only the values of the run `figures`. `samples` contains a cosine per layer, NaN if
  // unknown. Fails with kInvalidArgument if there are no samples.
  Result<void> LogCosines(std::span<const std::string> layers,
                          std::span<const std::vector<double>> samples);

  // Logs bit widths to the run `figures`: the images "Weights final bit-width config" and
  // "Activation final bit-width config", each only if a layer has such bit widths, and the scalars
  // bits/weights/<layer> and bits/activations/<layer> whose step is the layer's position.
  Result<void> LogBitWidths(std::span<const LayerBits> layers);

  // Returns the writer of a stage's run, for values that StageLogger has no method for. Valid until
  // Close. Fails like LogGraph if `stage` is not a stage name.
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
