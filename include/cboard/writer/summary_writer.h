// Logs all data types that TensorBoard shows, with the methods of tensorboardX's SummaryWriter.
//
//   cboard::SummaryWriter writer("runs/edge");
//   writer.AddScalar("resnet18/latency_ms", 12.4, step);
//
// Callers may ignore the results of Add methods if they can lose a point. docs/formats/ describes
// the event files, which TensorBoard can open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"
#include "cboard/writer/writer_options.h"

namespace cboard::writer {

// Success, or the reason why nothing was added. It is a Result<void> that callers may ignore
// without a warning.
using AddResult = tl::expected<void, Error>;

// The step and the time of a value. An integer converts to a step.
struct At {
  std::optional<std::int64_t> step;
  std::optional<double> wall_time_seconds;  // Default: the current time.

  At() = default;
  At(std::int64_t s) : step(s) {}  // NOLINT: `writer.AddScalar("loss", 0.25, 7)`.
  At(std::optional<std::int64_t> s, std::optional<double> wall_time)
      : step(s), wall_time_seconds(wall_time) {}
};

// Writes the data of one run. Thread-safe. The destructor closes the writer.
//
// After fork(), a child continues to write to the open files of its parent. It writes each event
// during the add call, so that nothing is lost if it ends with _exit().
class SummaryWriter {
 public:
  // Logs into `directory`. If it is empty, logs into runs/<date>_<host><comment>. "s3://bucket/run"
  // and "gs://bucket/run" are directories in a bucket (docs/scale.md). The constructor does not
  // throw: if the directory cannot be written, status() and every later call return the error.
  explicit SummaryWriter(std::filesystem::path directory = {}, WriterOptions options = {});
  virtual ~SummaryWriter();
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  // Returns an error if the event file could not be opened.
  Result<void> status() const;
  const std::filesystem::path& directory() const;
  // Returns the event file that AddScalar writes to; opens it if needed. With an event_sink,
  // returns the directory of the run.
  Result<std::filesystem::path> event_file() const;

  AddResult AddScalar(std::string_view tag, double value, const At& at = {});
  // Adds a scalar with the display name and description of `labels`, which are stored with the
  // value.
  AddResult AddScalar(std::string_view tag, double value, const At& at, const ScalarLabels& labels);

  // Adds one value per key. Each value is in a separate run <directory>/<main_tag>/<key>, so that
  // TensorBoard draws all of them in one chart. Fails with kInvalidArgument if a key leads out of
  // the directory.
  AddResult AddScalars(std::string_view main_tag, const std::map<std::string, double>& values,
                       At at = {});

  // Returns all points that AddScalars has added so far, as {"<run path>": [[wall_time, step,
  // value], …]}.
  std::string GroupedScalarsJson() const;
  // Writes GroupedScalarsJson() to `path`, then deletes the points from memory.
  Result<void> ExportScalarsToJson(const std::filesystem::path& path);

  AddResult AddHistogram(std::string_view tag, const TensorView& values, At at = {},
                         const tensor::Binning& bins = tensor::TensorBoardBins{},
                         std::size_t max_bins = 0);
  AddResult AddHistogramRaw(std::string_view tag, const tensor::HistogramData& histogram,
                            At at = {});

  // Adds an image. `dataformats` names the dimensions of the tensor in their order, for example
  // "CHW", "HW" or "NHWC", in upper or lower case. Values of type uint8 are 0…255, values of other
  // types are 0…1. A batch becomes a grid of images.
  AddResult AddImage(std::string_view tag, const TensorView& image, At at = {},
                     std::string_view dataformats = "CHW");
  AddResult AddImages(std::string_view tag, const TensorView& images, At at = {},
                      std::string_view dataformats = "NCHW");
  // Adds an image with boxes. `boxes` is N x 4: left, top, right, bottom, in pixels.
  AddResult AddImageWithBoxes(std::string_view tag, const TensorView& image,
                              const TensorView& boxes, At at = {}, const BoxStyle& style = {},
                              std::string_view dataformats = "CHW");
  // Adds a rendered figure: rows of RGB or RGBA bytes. Alpha is removed.
  AddResult AddFigure(std::string_view tag, const RgbBuffer& figure, At at = {});
  // Adds an encoded image (PNG, GIF, JPEG).
  AddResult AddEncodedImage(std::string_view tag, const EncodedImage& image, At at = {});
  AddResult AddVideo(std::string_view tag, const TensorView& video, At at = {}, double fps = 4,
                     std::string_view dataformats = "NTCHW");

  // Adds audio of shape L or L x channels, with one or two channels. Samples are in -1…1.
  AddResult AddAudio(std::string_view tag, const TensorView& sound, At at = {},
                     int sample_rate = 44100);
  AddResult AddText(std::string_view tag, std::string_view markdown, At at = {});

  // AddGraph adds a serialized GraphDef, which proto/graph.h can build. AddRunMetadata adds time
  // and memory per node, and is optional. The other two functions convert a model file to a graph.
  AddResult AddGraph(std::string_view graph_def, At at = {});
  AddResult AddRunMetadata(std::string_view tag, std::string_view run_metadata, At at = {});
  AddResult AddOnnxGraph(const std::filesystem::path& onnx_file);
  AddResult AddOpenVinoGraph(const std::filesystem::path& xml_file);

  // Adds an embedding: writes the projector's files below <directory>/<step>/<tag>/. Writes no
  // event.
  AddResult AddEmbedding(const TensorView& matrix, const EmbeddingDetails& details = {},
                         At at = {});

  AddResult AddPrCurve(std::string_view tag, const TensorView& labels,
                       const TensorView& predictions, At at = {}, int num_thresholds = 127,
                       const TensorView* weights = nullptr);
  AddResult AddPrCurveRaw(std::string_view tag, const PrCurveRows& rows, At at = {},
                          int num_thresholds = 127);
  AddResult AddMesh(std::string_view tag, const TensorView& vertices,
                    const MeshDetails& details = {}, At at = {});

  // Adds one row of the HParams page, as a separate run <directory>/<name>. If `name` is empty, it
  // is made from the time.
  AddResult AddHParams(const std::vector<std::pair<std::string, HParam>>& hparams,
                       const std::vector<std::pair<std::string, double>>& metrics,
                       std::string_view name = {}, At at = {});

  AddResult AddCustomScalars(const std::vector<CustomScalarCategory>& layout);
  AddResult AddCustomScalarsMultilineChart(const std::vector<std::string>& tags,
                                           std::string_view category = "default",
                                           std::string_view title = "untitled");
  // Adds a margin chart. `tags` are exactly three: value, lower bound and upper bound.
  AddResult AddCustomScalarsMarginChart(const std::vector<std::string>& tags,
                                        std::string_view category = "default",
                                        std::string_view title = "untitled");

  // These functions add a serialized Summary (proto/summary.h) or Event (proto/event.h), for kinds
  // of data that have no function of their own.
  AddResult AddSummary(std::string_view serialized_summary, At at = {});
  AddResult AddEvent(std::string_view serialized_event);

  // Waits until all events added so far, including those of sub-runs, are written to the operating
  // system. If the options are durable, waits for the disk; if the directory is in a bucket, waits
  // for the store.
  Result<void> Flush();
  // Flushes and closes all files. A second call does nothing. If events are added afterwards, a new
  // file is opened.
  Result<void> Close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cboard::writer

namespace cboard {
using writer::SummaryWriter;
}  // namespace cboard
