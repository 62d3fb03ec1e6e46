// The methods of SummaryWriter that make a summary of some kind of data and add it.
#include <unistd.h>

#include <string>
#include <utility>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/writer/run_file.h"
#include "cboard/writer/summary_writer.h"
#include "writer/graph_import/onnx_graph.h"
#include "writer/graph_import/openvino_graph.h"
#include "writer/media/draw_boxes.h"
#include "writer/media/gif_encoder.h"
#include "writer/media/image_layout.h"
#include "writer/media/png_encoder.h"
#include "writer/media/sprite.h"
#include "writer/media/video_layout.h"
#include "writer/summary/audio.h"
#include "writer/summary/custom_scalars.h"
#include "writer/summary/embedding.h"
#include "writer/summary/histogram_summary.h"
#include "writer/summary/hparams.h"
#include "writer/summary/mesh.h"
#include "writer/summary/pr_curve.h"
#include "writer/summary/tag_cleaning.h"
#include "writer/summary/text.h"
#include "writer/summary_writer_impl.h"

namespace cboard::writer {
namespace {

// Adds the kind of data and the tag to an error, as in "image 'digits/0': …", for functions whose
// errors do not name them.
template <typename T>
Result<T> About(std::string_view kind, std::string_view tag, Result<T> result) {
  if (result) return result;
  return Fail(Annotate(std::move(result).error(), std::string(kind) + " " + Quoted(tag)));
}

Result<std::string> PngSummary(const Result<std::string>& tag,
                               const Result<media::Pixels>& pixels) {
  if (!tag) return Fail(tag.error());
  if (!pixels) return Fail(pixels.error());
  CBOARD_ASSIGN_OR_RETURN(const std::string file, media::EncodePng(*pixels));
  std::string summary;
  proto::AppendImageValue(*tag,
                          {.height = static_cast<std::int32_t>(pixels->height),
                           .width = static_cast<std::int32_t>(pixels->width),
                           .colorspace = static_cast<std::int32_t>(pixels->channels),
                           .encoded = file},
                          {}, summary);
  return summary;
}

}  // namespace

#define CBOARD_SUMMARY_OR_RETURN(summary, kind, tag, expression) \
  CBOARD_ASSIGN_OR_RETURN(const std::string summary, About<std::string>(kind, tag, expression))

AddResult SummaryWriter::AddHistogram(std::string_view tag, const TensorView& values, At at,
                                      const tensor::Binning& bins, std::size_t max_bins) {
  CBOARD_ASSIGN_OR_RETURN(
      const tensor::HistogramData histogram,
      About("histogram", tag, tensor::ComputeHistogram(values, bins, max_bins)));
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, summary::CleanStoredTag(tag));
  CBOARD_ASSIGN_OR_RETURN(const std::string summary,
                          summary::MakeCountedHistogramSummary(stored, histogram));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddHistogramRaw(std::string_view tag,
                                         const tensor::HistogramData& histogram, At at) {
  CBOARD_ASSIGN_OR_RETURN(const std::string summary, summary::MakeHistogramSummary(tag, histogram));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddImage(std::string_view tag, const TensorView& image, At at,
                                  std::string_view dataformats) {
  CBOARD_SUMMARY_OR_RETURN(
      summary, "image", tag,
      PngSummary(summary::CleanStoredTag(tag), media::LayOutImage(image, dataformats)));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddImages(std::string_view tag, const TensorView& images, At at,
                                   std::string_view dataformats) {
  return AddImage(tag, images, at, dataformats);
}

AddResult SummaryWriter::AddImageWithBoxes(std::string_view tag, const TensorView& image,
                                           const TensorView& boxes, At at, const BoxStyle& style,
                                           std::string_view dataformats) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, summary::StoredTag(tag));
  CBOARD_ASSIGN_OR_RETURN(const media::Pixels pixels,
                          About("image", tag, media::LayOutImage(image, dataformats)));
  CBOARD_SUMMARY_OR_RETURN(
      summary, "image", tag,
      PngSummary(stored, media::DrawBoxes(pixels, boxes, style.labels, style.rescale)));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddFigure(std::string_view tag, const RgbBuffer& figure, At at) {
  if (figure.channels != 3 && figure.channels != 4) {
    return Fail(ErrorCode::kInvalidArgument, "figure " + Quoted(tag) + " has " +
                                                 std::to_string(figure.channels) +
                                                 " channels; give 3 or 4 channels, RGB or RGBA");
  }
  const TensorView pixels(DType::kUint8, figure.pixels.data(),
                          {figure.height, figure.width, figure.channels});
  CBOARD_RETURN_IF_ERROR(About("figure", tag, pixels.Validate()));
  if (pixels.element_count() != figure.pixels.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "figure " + Quoted(tag) + ": " + std::to_string(figure.pixels.size()) +
                    " bytes are given, but height * width * channels is " +
                    std::to_string(pixels.element_count()));
  }
  CBOARD_ASSIGN_OR_RETURN(media::Pixels image,
                          About("figure", tag, media::LayOutImage(pixels, "HWC")));
  // Removes alpha: figures are opaque, and viewers would show transparent areas as holes.
  if (image.channels == 4) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < image.bytes.size(); ++i) {
      if (i % 4 != 3) image.bytes[kept++] = image.bytes[i];
    }
    image.bytes.resize(kept);
    image.channels = 3;
  }
  CBOARD_SUMMARY_OR_RETURN(summary, "figure", tag,
                           PngSummary(summary::CleanStoredTag(tag), std::move(image)));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddEncodedImage(std::string_view tag, const EncodedImage& image, At at) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, summary::CleanStoredTag(tag));
  std::string summary;
  proto::AppendImageValue(stored,
                          {.height = image.height,
                           .width = image.width,
                           .colorspace = image.channels,
                           .encoded = image.file},
                          {}, summary);
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddVideo(std::string_view tag, const TensorView& video, At at, double fps,
                                  std::string_view dataformats) {
  CBOARD_ASSIGN_OR_RETURN(const media::Video frames,
                          About("video", tag, media::LayOutVideo(video, dataformats)));
  CBOARD_ASSIGN_OR_RETURN(const std::string file,
                          About("video", tag, media::EncodeGif(frames, fps)));
  return AddEncodedImage(tag,
                         {.file = file,
                          .height = static_cast<std::int32_t>(frames.height),
                          .width = static_cast<std::int32_t>(frames.width),
                          .channels = static_cast<std::int32_t>(frames.channels)},
                         at);
}

AddResult SummaryWriter::AddAudio(std::string_view tag, const TensorView& sound, At at,
                                  int sample_rate) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, summary::StoredTag(tag));
  CBOARD_SUMMARY_OR_RETURN(summary, "audio", tag,
                           summary::MakeAudioSummary(stored, sound, sample_rate));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddText(std::string_view tag, std::string_view markdown, At at) {
  CBOARD_SUMMARY_OR_RETURN(summary, "text", tag, summary::MakeTextSummary(tag, markdown));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddGraph(std::string_view graph_def, At at) {
  return AddEvent(proto::EncodeEvent({.wall_time_seconds = impl_->WallTime(at),
                                      .step = at.step.value_or(0),
                                      .kind = proto::EventKind::kGraphDef,
                                      .payload = graph_def}));
}

AddResult SummaryWriter::AddRunMetadata(std::string_view tag, std::string_view run_metadata,
                                        At at) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, summary::StoredTag(tag));
  const std::string tagged =
      proto::EncodeTaggedRunMetadata({.tag = stored, .run_metadata = run_metadata});
  return AddEvent(proto::EncodeEvent({.wall_time_seconds = impl_->WallTime(at),
                                      .step = at.step.value_or(0),
                                      .kind = proto::EventKind::kTaggedRunMetadata,
                                      .payload = tagged}));
}

AddResult SummaryWriter::AddOnnxGraph(const std::filesystem::path& onnx_file) {
  CBOARD_ASSIGN_OR_RETURN(const std::string graph, GraphDefFromOnnx(onnx_file));
  return AddGraph(graph);
}

AddResult SummaryWriter::AddOpenVinoGraph(const std::filesystem::path& xml_file) {
  CBOARD_ASSIGN_OR_RETURN(const std::string graph, GraphDefFromOpenVino(xml_file));
  return AddGraph(graph);
}

AddResult SummaryWriter::AddEmbedding(const TensorView& matrix, const EmbeddingDetails& details,
                                      At at) {
  CBOARD_ASSIGN_OR_RETURN(const summary::EmbeddingFiles files,
                          summary::MakeEmbeddingFiles(matrix, details, at.step.value_or(0)));
  std::string sprite;
  if (details.label_images) {
    CBOARD_ASSIGN_OR_RETURN(
        const media::Pixels pixels,
        About("embedding", details.tag, media::LayOutSprite(*details.label_images)));
    CBOARD_ASSIGN_OR_RETURN(sprite, media::EncodePng(pixels));
  }
  const std::filesystem::path folder = directory() / files.directory;
  const bool durable = impl_->files.options().durable;
  CBOARD_RETURN_IF_ERROR(WriteRunFile(folder / "tensors.tsv", files.tensors_tsv, durable));
  if (files.metadata_tsv) {
    CBOARD_RETURN_IF_ERROR(WriteRunFile(folder / "metadata.tsv", *files.metadata_tsv, durable));
  }
  if (!sprite.empty()) CBOARD_RETURN_IF_ERROR(WriteRunFile(folder / "sprite.png", sprite, durable));
  // Writes the config last and with one call, so that the projector never finds a reference to a
  // missing file.
  return AppendToRunFile(directory() / "projector_config.pbtxt", files.config_block, durable);
}

AddResult SummaryWriter::AddPrCurve(std::string_view tag, const TensorView& labels,
                                    const TensorView& predictions, At at, int num_thresholds,
                                    const TensorView* weights) {
  CBOARD_ASSIGN_OR_RETURN(
      const std::string summary,
      summary::MakePrCurveSummary(tag, labels, predictions, num_thresholds, weights));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddPrCurveRaw(std::string_view tag, const PrCurveRows& rows, At at,
                                       int num_thresholds) {
  CBOARD_ASSIGN_OR_RETURN(const std::string summary,
                          summary::MakePrCurveRawSummary(tag, rows, num_thresholds));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddMesh(std::string_view tag, const TensorView& vertices,
                                 const MeshDetails& details, At at) {
  CBOARD_ASSIGN_OR_RETURN(const std::string summary,
                          summary::MakeMeshSummary(tag, vertices, details));
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddHParams(const std::vector<std::pair<std::string, HParam>>& hparams,
                                    const std::vector<std::pair<std::string, double>>& metrics,
                                    std::string_view name, At at) {
  const double wall_time = impl_->WallTime(at);
  const std::string run = name.empty() ? ShortestDecimal(wall_time) : std::string(name);
  CBOARD_ASSIGN_OR_RETURN(const std::filesystem::path path,
                          summary::SubRunPath(directory(), "", run));
  CBOARD_ASSIGN_OR_RETURN(const summary::HParamsSummaries summaries,
                          About("hparams", run, summary::MakeHParamsSummaries(hparams, metrics)));
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<EventFileWriter> file, impl_->files.OpenOnce(path));
  for (const std::string* summary :
       {&summaries.experiment, &summaries.session_start, &summaries.session_end}) {
    CBOARD_RETURN_IF_ERROR(file->AddEvent(proto::EncodeEvent({.wall_time_seconds = wall_time,
                                                              .kind = proto::EventKind::kSummary,
                                                              .payload = *summary})));
  }
  for (const auto& [tag, value] : metrics) {
    CBOARD_RETURN_IF_ERROR(
        file->AddScalar(tag, static_cast<float>(value), at.step.value_or(0), wall_time));
  }
  return file->Close();
}

AddResult SummaryWriter::AddCustomScalars(const std::vector<CustomScalarCategory>& layout) {
  CBOARD_SUMMARY_OR_RETURN(summary, "custom scalars", "layout",
                           summary::MakeCustomScalarsSummary(layout));
  return impl_->AddSummary(summary, {});
}

AddResult SummaryWriter::AddCustomScalarsMultilineChart(const std::vector<std::string>& tags,
                                                        std::string_view category,
                                                        std::string_view title) {
  return AddCustomScalars({{std::string(category), {{std::string(title), tags, false}}}});
}

AddResult SummaryWriter::AddCustomScalarsMarginChart(const std::vector<std::string>& tags,
                                                     std::string_view category,
                                                     std::string_view title) {
  return AddCustomScalars({{std::string(category), {{std::string(title), tags, true}}}});
}

}  // namespace cboard::writer
