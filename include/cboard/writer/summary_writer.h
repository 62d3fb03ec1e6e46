// Logs everything TensorBoard can show, with the methods of tensorboardX's SummaryWriter.
//
//   cboard::SummaryWriter writer("runs/edge");
//   writer.AddScalar("resnet18/latency_ms", 12.4, step);
//
// Every method returns a Result; ignoring it is fine where losing a point is. Event files are
// documented in docs/formats/, and stock TensorBoard opens them.
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

  Result<void> AddScalar(std::string_view tag, double value, const At& at = {});
  // The same with names and notes for viewers, stored beside the value.
  Result<void> AddScalar(std::string_view tag, double value, const At& at,
                         const ScalarLabels& labels);

  // One value per key, each in a run of its own, <directory>/<main_tag>/<key>, so that TensorBoard
  // draws them in one chart. Fails with kInvalidArgument when a key would leave the directory.
  Result<void> AddScalars(std::string_view main_tag, const std::map<std::string, double>& values,
                          At at = {});

  // All points given to AddScalars so far, as {"<run path>": [[wall_time, step, value], …]}.
  std::string GroupedScalarsJson() const;
  // Writes GroupedScalarsJson() to `path`, then forgets the points.
  Result<void> ExportScalarsToJson(const std::filesystem::path& path);

  Result<void> AddHistogram(std::string_view tag, const TensorView& values, At at = {},
                            const tensor::Binning& bins = tensor::TensorBoardBins{},
                            std::size_t max_bins = 0);
  Result<void> AddHistogramRaw(std::string_view tag, const tensor::HistogramData& histogram,
                               At at = {});

  // `dataformats` names the dimensions: any order of "CHW", "HW", "NCHW", in either case. uint8
  // is taken as 0…255, everything else as 0…1. A batch becomes a grid.
  Result<void> AddImage(std::string_view tag, const TensorView& image, At at = {},
                        std::string_view dataformats = "CHW");
  Result<void> AddImages(std::string_view tag, const TensorView& images, At at = {},
                         std::string_view dataformats = "NCHW");
  // `boxes` is N x 4: left, top, right, bottom, in pixels.
  Result<void> AddImageWithBoxes(std::string_view tag, const TensorView& image,
                                 const TensorView& boxes, At at = {}, const BoxStyle& style = {},
                                 std::string_view dataformats = "CHW");
  // A rendered figure: rows of RGB or RGBA bytes (alpha is dropped).
  Result<void> AddFigure(std::string_view tag, const RgbBuffer& figure, At at = {});
  // An image that is encoded already (PNG, GIF, JPEG).
  Result<void> AddEncodedImage(std::string_view tag, const EncodedImage& image, At at = {});
  Result<void> AddVideo(std::string_view tag, const TensorView& video, At at = {}, double fps = 4,
                        std::string_view dataformats = "NTCHW");

  // Samples in -1…1, one row per frame: L or L x channels (1 or 2).
  Result<void> AddAudio(std::string_view tag, const TensorView& sound, At at = {},
                        int sample_rate = 44100);
  Result<void> AddText(std::string_view tag, std::string_view markdown, At at = {});

  // A serialized GraphDef (proto/graph.h builds one), with RunMetadata per tag if there is any.
  Result<void> AddGraph(std::string_view graph_def, At at = {});
  Result<void> AddRunMetadata(std::string_view tag, std::string_view run_metadata, At at = {});
  Result<void> AddOnnxGraph(const std::filesystem::path& onnx_file);
  Result<void> AddOpenVinoGraph(const std::filesystem::path& xml_file);

  // Writes no event but the projector's files below <directory>/<step>/<tag>/.
  Result<void> AddEmbedding(const TensorView& matrix, const EmbeddingDetails& details = {},
                            At at = {});

  Result<void> AddPrCurve(std::string_view tag, const TensorView& labels,
                          const TensorView& predictions, At at = {}, int num_thresholds = 127,
                          const TensorView* weights = nullptr);
  Result<void> AddPrCurveRaw(std::string_view tag, const PrCurveRows& rows, At at = {},
                             int num_thresholds = 127);
  Result<void> AddMesh(std::string_view tag, const TensorView& vertices,
                       const MeshDetails& details = {}, At at = {});

  // One row of the HParams page, as a run of its own: <directory>/<name>, or a name made from the
  // time.
  Result<void> AddHParams(const std::vector<std::pair<std::string, HParam>>& hparams,
                          const std::vector<std::pair<std::string, double>>& metrics,
                          std::string_view name = {}, At at = {});

  Result<void> AddCustomScalars(const std::vector<CustomScalarCategory>& layout);
  Result<void> AddCustomScalarsMultilineChart(const std::vector<std::string>& tags,
                                              std::string_view category = "default",
                                              std::string_view title = "untitled");
  // Exactly three tags: value, lower, upper.
  Result<void> AddCustomScalarsMarginChart(const std::vector<std::string>& tags,
                                           std::string_view category = "default",
                                           std::string_view title = "untitled");

  // A serialized Summary (proto/summary.h) or Event (proto/event.h), for kinds not listed here.
  Result<void> AddSummary(std::string_view serialized_summary, At at = {});
  Result<void> AddEvent(std::string_view serialized_event);

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
