// Logs everything TensorBoard can show, with the methods of tensorboardX's SummaryWriter.
//
//   cboard::SummaryWriter writer("runs/edge");
//   writer.AddScalar("resnet18/latency_ms", 12.4, step);
//
// Add methods may be called without looking at their result where losing a point is acceptable.
// Event files are documented in docs/formats/, and stock TensorBoard opens them.
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

// Success, or why nothing was added. A Result<void> that the compiler lets callers ignore.
using AddResult = tl::expected<void, Error>;

// When something was measured. A bare integer is a step.
struct At {
  std::optional<std::int64_t> step;
  std::optional<double> wall_time_seconds;  // Now, if not given.

  At() = default;
  At(std::int64_t s) : step(s) {}  // NOLINT: `writer.AddScalar("loss", 0.25, 7)`.
  At(std::optional<std::int64_t> s, std::optional<double> wall_time)
      : step(s), wall_time_seconds(wall_time) {}
};

// Thread-safe. The destructor closes.
//
// After fork(), a child goes on in the files that its parent has open. It writes each event within
// the add call, so that nothing is lost when it ends with _exit().
class SummaryWriter {
 public:
  // Logs into `directory`, or into runs/<date>_<host><comment> when it is empty. "s3://bucket/run" and
  // "gs://bucket/run" are directories in a bucket (docs/scale.md). A directory that cannot be written
  // is reported by status() and by every later call; nothing throws.
  explicit SummaryWriter(std::filesystem::path directory = {}, WriterOptions options = {});
  virtual ~SummaryWriter();
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  // Whether the event file could be opened.
  Result<void> status() const;
  const std::filesystem::path& directory() const;
  // The event file that AddScalar writes to; opened first if none is. With an event_sink, the
  // directory.
  Result<std::filesystem::path> event_file() const;

  AddResult AddScalar(std::string_view tag, double value, const At& at = {});
  // The same with names and notes for viewers, stored beside the value.
  AddResult AddScalar(std::string_view tag, double value, const At& at, const ScalarLabels& labels);

  // One value per key, each in a run of its own, <directory>/<main_tag>/<key>, so that TensorBoard
  // draws them in one chart. Fails with kInvalidArgument when a key would leave the directory.
  AddResult AddScalars(std::string_view main_tag, const std::map<std::string, double>& values,
                       At at = {});

  // All points given to AddScalars so far, as {"<run path>": [[wall_time, step, value], …]}.
  std::string GroupedScalarsJson() const;
  // Writes GroupedScalarsJson() to `path`, then forgets the points.
  Result<void> ExportScalarsToJson(const std::filesystem::path& path);

  AddResult AddHistogram(std::string_view tag, const TensorView& values, At at = {},
                         const tensor::Binning& bins = tensor::TensorBoardBins{},
                         std::size_t max_bins = 0);
  AddResult AddHistogramRaw(std::string_view tag, const tensor::HistogramData& histogram,
                            At at = {});

  // `dataformats` names the dimensions: any order of "CHW", "HW", "NCHW", in either case. uint8
  // is taken as 0…255, everything else as 0…1. A batch becomes a grid.
  AddResult AddImage(std::string_view tag, const TensorView& image, At at = {},
                     std::string_view dataformats = "CHW");
  AddResult AddImages(std::string_view tag, const TensorView& images, At at = {},
                      std::string_view dataformats = "NCHW");
  // `boxes` is N x 4: left, top, right, bottom, in pixels.
  AddResult AddImageWithBoxes(std::string_view tag, const TensorView& image,
                              const TensorView& boxes, At at = {}, const BoxStyle& style = {},
                              std::string_view dataformats = "CHW");
  // A rendered figure: rows of RGB or RGBA bytes (alpha is dropped).
  AddResult AddFigure(std::string_view tag, const RgbBuffer& figure, At at = {});
  // An image that is encoded already (PNG, GIF, JPEG).
  AddResult AddEncodedImage(std::string_view tag, const EncodedImage& image, At at = {});
  AddResult AddVideo(std::string_view tag, const TensorView& video, At at = {}, double fps = 4,
                     std::string_view dataformats = "NTCHW");

  // Samples in -1…1, one row per frame: L or L x channels (1 or 2).
  AddResult AddAudio(std::string_view tag, const TensorView& sound, At at = {},
                     int sample_rate = 44100);
  AddResult AddText(std::string_view tag, std::string_view markdown, At at = {});

  // A serialized GraphDef (proto/graph.h builds one), with RunMetadata per tag if there is any.
  AddResult AddGraph(std::string_view graph_def, At at = {});
  AddResult AddRunMetadata(std::string_view tag, std::string_view run_metadata, At at = {});
  AddResult AddOnnxGraph(const std::filesystem::path& onnx_file);
  AddResult AddOpenVinoGraph(const std::filesystem::path& xml_file);

  // Writes no event but the projector's files below <directory>/<step>/<tag>/.
  AddResult AddEmbedding(const TensorView& matrix, const EmbeddingDetails& details = {},
                         At at = {});

  AddResult AddPrCurve(std::string_view tag, const TensorView& labels,
                       const TensorView& predictions, At at = {}, int num_thresholds = 127,
                       const TensorView* weights = nullptr);
  AddResult AddPrCurveRaw(std::string_view tag, const PrCurveRows& rows, At at = {},
                          int num_thresholds = 127);
  AddResult AddMesh(std::string_view tag, const TensorView& vertices,
                    const MeshDetails& details = {}, At at = {});

  // One row of the HParams page, as a run of its own: <directory>/<name>, or a name made from the
  // time.
  AddResult AddHParams(const std::vector<std::pair<std::string, HParam>>& hparams,
                       const std::vector<std::pair<std::string, double>>& metrics,
                       std::string_view name = {}, At at = {});

  AddResult AddCustomScalars(const std::vector<CustomScalarCategory>& layout);
  AddResult AddCustomScalarsMultilineChart(const std::vector<std::string>& tags,
                                           std::string_view category = "default",
                                           std::string_view title = "untitled");
  // Exactly three tags: value, lower, upper.
  AddResult AddCustomScalarsMarginChart(const std::vector<std::string>& tags,
                                        std::string_view category = "default",
                                        std::string_view title = "untitled");

  // A serialized Summary (proto/summary.h) or Event (proto/event.h), for kinds not listed here.
  AddResult AddSummary(std::string_view serialized_summary, At at = {});
  AddResult AddEvent(std::string_view serialized_event);

  // Returns when everything added before is with the operating system, sub-runs included; on the
  // disk if the options are durable; in the store if the directory is in a bucket.
  Result<void> Flush();
  // Flushes and closes all files. Calling it again does nothing; adding afterwards opens a new
  // file.
  Result<void> Close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cboard::writer

namespace cboard {
using writer::SummaryWriter;
}  // namespace cboard
