#include "summaries.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/tensor/histogram.h"
#include "errors.h"
#include "tensor_arg.h"
#include "text.h"
#include "unlocked.h"
#include "writer/graph_import/onnx_graph.h"
#include "writer/graph_import/openvino_graph.h"
#include "writer/media/draw_boxes.h"
#include "writer/media/font.h"
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
#include "writer/summary/text.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

// Runs `make` without the GIL and returns its bytes to Python.
template <typename Make>
nb::bytes Serialized(Make make) {
  Result<std::string> summary;
  {
    const Unlocked unlocked;
    summary = make();
  }
  const std::string bytes = Unwrap(std::move(summary));
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes HistogramSummary(const std::string& tag, nb::handle values, const Bins& bins,
                           std::size_t max_bins) {
  const TensorArg tensor(values);
  return Serialized([&]() -> Result<std::string> {
    CBOARD_ASSIGN_OR_RETURN(const tensor::Binning binning, BinningOf(bins));
    CBOARD_ASSIGN_OR_RETURN(const tensor::HistogramData histogram,
                            tensor::ComputeHistogram(tensor.view(), binning, max_bins));
    return writer::summary::MakeCountedHistogramSummary(tag, histogram);
  });
}

nb::bytes HistogramRawSummary(const std::string& tag, double min, double max, double num,
                              double sum, double sum_squares, std::vector<double> limits,
                              std::vector<double> counts) {
  const tensor::HistogramData histogram{
      min, max, num, sum, sum_squares, std::move(limits), std::move(counts)};
  return Serialized([&] { return writer::summary::MakeHistogramSummary(tag, histogram); });
}

Result<std::string> ImageSummary(std::string_view tag, const writer::media::Pixels& pixels,
                                 std::size_t height, std::size_t width) {
  CBOARD_ASSIGN_OR_RETURN(const std::string file, writer::media::EncodePng(pixels));
  std::string summary;
  proto::AppendImageValue(tag,
                          {.height = static_cast<std::int32_t>(height),
                           .width = static_cast<std::int32_t>(width),
                           .colorspace = static_cast<std::int32_t>(pixels.channels),
                           .encoded = file},
                          {}, summary);
  return summary;
}

nb::bytes PictureSummary(const std::string& tag, nb::handle image, const std::string& dataformats) {
  const TensorArg tensor(image);
  return Serialized([&]() -> Result<std::string> {
    CBOARD_ASSIGN_OR_RETURN(const writer::media::Pixels pixels,
                            writer::media::LayOutImage(tensor.view(), dataformats));
    return ImageSummary(tag, pixels, pixels.height, pixels.width);
  });
}

nb::bytes BoxesSummary(const std::string& tag, nb::handle image, nb::handle boxes, double rescale,
                       const std::string& dataformats, const std::vector<std::string>& labels) {
  const TensorArg tensor(image);
  const TensorArg corners(boxes);
  return Serialized([&]() -> Result<std::string> {
    CBOARD_ASSIGN_OR_RETURN(const writer::media::Pixels pixels,
                            writer::media::LayOutImage(tensor.view(), dataformats));
    CBOARD_ASSIGN_OR_RETURN(const writer::media::Pixels drawn,
                            writer::media::DrawBoxes(pixels, corners.view(), labels, rescale));
    // Stores the size of the picture before resizing, as tensorboardX does.
    return ImageSummary(tag, drawn, pixels.height, pixels.width);
  });
}

nb::bytes VideoSummary(const std::string& tag, nb::handle video, double fps,
                       const std::string& dataformats) {
  const TensorArg tensor(video);
  return Serialized([&]() -> Result<std::string> {
    CBOARD_ASSIGN_OR_RETURN(const writer::media::Video frames,
                            writer::media::LayOutVideo(tensor.view(), dataformats));
    CBOARD_ASSIGN_OR_RETURN(const std::string file, writer::media::EncodeGif(frames, fps));
    std::string summary;
    proto::AppendImageValue(tag,
                            {.height = static_cast<std::int32_t>(frames.height),
                             .width = static_cast<std::int32_t>(frames.width),
                             .colorspace = static_cast<std::int32_t>(frames.channels),
                             .encoded = file},
                            {}, summary);
    return summary;
  });
}

nb::bytes AudioSummary(const std::string& tag, nb::handle sound, int sample_rate) {
  const TensorArg tensor(sound);
  return Serialized(
      [&] { return writer::summary::MakeAudioSummary(tag, tensor.view(), sample_rate); });
}

nb::bytes ScalarSummary(const std::string& tag, double value, const std::string& display_name,
                        const std::string& description, const std::string& plugin_name,
                        const nb::bytes& plugin_content) {
  std::string summary;
  proto::AppendScalarValue(tag, static_cast<float>(value),
                           {.plugin_name = plugin_name,
                            .plugin_content = {plugin_content.c_str(), plugin_content.size()},
                            .display_name = display_name,
                            .description = description},
                           summary);
  return nb::bytes(summary.data(), summary.size());
}

nb::bytes PrCurveSummary(const std::string& tag, nb::handle labels, nb::handle predictions,
                         int num_thresholds, nb::handle weights) {
  const TensorArg truth(labels);
  const TensorArg guesses(predictions);
  std::optional<TensorArg> weighted;
  if (!weights.is_none()) weighted.emplace(weights);
  return Serialized([&] {
    return writer::summary::MakePrCurveSummary(tag, truth.view(), guesses.view(), num_thresholds,
                                               weighted ? &weighted->view() : nullptr);
  });
}

nb::bytes PrCurveRawSummary(const std::string& tag, std::vector<std::vector<float>> rows,
                            int num_thresholds) {
  if (rows.size() != 6) throw nb::value_error("a PR curve has six rows");
  const writer::PrCurveRows curve{std::move(rows[0]), std::move(rows[1]), std::move(rows[2]),
                                  std::move(rows[3]), std::move(rows[4]), std::move(rows[5])};
  return Serialized(
      [&] { return writer::summary::MakePrCurveRawSummary(tag, curve, num_thresholds); });
}

nb::bytes MeshSummary(const std::string& tag, nb::handle vertices, nb::handle colors,
                      nb::handle faces, const std::string& config_json) {
  const TensorArg points(vertices);
  std::optional<TensorArg> colored;
  std::optional<TensorArg> meshed;
  if (!colors.is_none()) colored.emplace(colors);
  if (!faces.is_none()) meshed.emplace(faces);
  writer::MeshDetails details;
  if (colored) details.colors = colored->view();
  if (meshed) details.faces = meshed->view();
  details.config_json = config_json;
  return Serialized([&] { return writer::summary::MakeMeshSummary(tag, points.view(), details); });
}

std::tuple<nb::bytes, nb::bytes, nb::bytes> HParamsSummaries(
    const std::vector<HParamPair>& hparams, const std::vector<std::string>& metric_names) {
  std::vector<std::pair<std::string, double>> metrics;
  for (const std::string& name : metric_names) metrics.emplace_back(name, 0.0);
  const auto made = Unwrap(writer::summary::MakeHParamsSummaries(HParamsOf(hparams), metrics));
  const auto bytes = [](const std::string& text) { return nb::bytes(text.data(), text.size()); };
  return {bytes(made.experiment), bytes(made.session_start), bytes(made.session_end)};
}

using Chart = std::tuple<std::string, std::vector<std::string>, bool>;
using Category = std::pair<std::string, std::vector<Chart>>;

nb::bytes CustomScalarsSummary(const std::vector<Category>& layout) {
  std::vector<writer::CustomScalarCategory> categories;
  for (const auto& [title, charts] : layout) {
    writer::CustomScalarCategory& category = categories.emplace_back();
    category.title = title;
    for (const auto& [chart, tags, margin] : charts)
      category.charts.push_back({chart, tags, margin});
  }
  return Serialized([&] { return writer::summary::MakeCustomScalarsSummary(categories); });
}

// Returns (directory, tensors.tsv, metadata.tsv or None, block of projector_config.pbtxt, sprite or
// None).
nb::tuple EmbeddingFiles(nb::handle matrix, std::vector<std::vector<std::string>> metadata,
                         std::vector<std::string> header, nb::handle images, const std::string& tag,
                         std::int64_t step) {
  const TensorArg rows(matrix);
  std::optional<TensorArg> pictures;
  writer::EmbeddingDetails details;
  details.metadata = std::move(metadata);
  details.metadata_header = std::move(header);
  details.tag = tag;
  if (!images.is_none()) {
    pictures.emplace(images);
    details.label_images = pictures->view();
  }
  Result<writer::summary::EmbeddingFiles> files;
  Result<std::string> sprite = std::string();
  {
    const Unlocked unlocked;
    files = writer::summary::MakeEmbeddingFiles(rows.view(), details, step);
    if (files && pictures) {
      sprite = [&]() -> Result<std::string> {
        CBOARD_ASSIGN_OR_RETURN(const writer::media::Pixels pixels,
                                writer::media::LayOutSprite(pictures->view()));
        return writer::media::EncodePng(pixels);
      }();
    }
  }
  const writer::summary::EmbeddingFiles made = Unwrap(std::move(files));
  const std::string png = Unwrap(std::move(sprite));
  const auto bytes = [](const std::string& text) -> nb::object {
    return nb::bytes(text.data(), text.size());
  };
  return nb::make_tuple(made.directory, bytes(made.tensors_tsv),
                        made.metadata_tsv ? bytes(*made.metadata_tsv) : nb::none(),
                        made.config_block, pictures ? bytes(png) : nb::none());
}

// Returns the letters of `text` in a row, one byte per dot: eight rows, six dots per letter, 1 for
// ink.
nb::bytes TextDots(const std::string& text) {
  const std::u32string letters = writer::media::DecodeUtf8(text);
  std::string dots;
  dots.reserve(letters.size() * writer::media::kCellWidth * writer::media::kGlyphHeight);
  for (int row = 0; row < writer::media::kGlyphHeight; ++row) {
    for (const char32_t letter : letters) {
      const writer::media::Glyph& glyph = writer::media::GlyphOf(letter);
      for (int column = 0; column < writer::media::kGlyphWidth; ++column) {
        dots.push_back(writer::media::HasInk(glyph, row, column) ? '\1' : '\0');
      }
      dots.push_back('\0');
    }
  }
  return nb::bytes(dots.data(), dots.size());
}

}  // namespace

Result<tensor::Binning> BinningOf(const Bins& bins) {
  if (const auto* name = std::get_if<std::string>(&bins)) {
    if (*name == "tensorflow") return tensor::TensorBoardBins{};
    CBOARD_ASSIGN_OR_RETURN(const tensor::BinEstimator estimator, tensor::BinEstimatorOf(*name));
    return estimator;
  }
  if (const auto* count = std::get_if<std::int64_t>(&bins)) {
    if (*count < 1) return Fail(ErrorCode::kInvalidArgument, "bins must be 1 or more");
    return tensor::EqualBins{static_cast<std::size_t>(*count)};
  }
  return tensor::BinEdges{std::get<std::vector<double>>(bins)};
}

std::vector<std::pair<std::string, writer::HParam>> HParamsOf(
    const std::vector<HParamPair>& pairs) {
  std::vector<std::pair<std::string, writer::HParam>> hparams;
  for (const auto& [name, value] : pairs) {
    hparams.emplace_back(name,
                         std::visit([](const auto& v) -> writer::HParam { return v; }, value));
  }
  return hparams;
}

void BindSummaries(nb::module_& module) {
  module.def("scalar_summary", ScalarSummary, nb::arg("tag"), nb::arg("value"),
             nb::arg("display_name") = "", nb::arg("description") = "", nb::arg("plugin_name") = "",
             nb::arg("plugin_content") = nb::bytes("", 0));
  module.def("histogram_summary", HistogramSummary);
  module.def("histogram_raw_summary", HistogramRawSummary);
  module.def("image_summary", PictureSummary);
  module.def("boxes_summary", BoxesSummary);
  module.def("video_summary", VideoSummary);
  module.def("audio_summary", AudioSummary);
  module.def("text_dots", TextDots);
  module.def("text_summary", [](const std::string& tag, const std::string& text) {
    return Serialized([&] { return writer::summary::MakeTextSummary(tag, text); });
  });
  module.def("pr_curve_summary", PrCurveSummary, nb::arg("tag"), nb::arg("labels"),
             nb::arg("predictions"), nb::arg("num_thresholds"), nb::arg("weights").none());
  module.def("pr_curve_raw_summary", PrCurveRawSummary);
  module.def("mesh_summary", MeshSummary, nb::arg("tag"), nb::arg("vertices"),
             nb::arg("colors").none(), nb::arg("faces").none(), nb::arg("config_json"));
  module.def("hparams_summaries", HParamsSummaries);
  module.def("custom_scalars_summary", CustomScalarsSummary);
  module.def("embedding_files", EmbeddingFiles, nb::arg("matrix"), nb::arg("metadata"),
             nb::arg("header"), nb::arg("images").none(), nb::arg("tag"), nb::arg("step"));
  module.def("graph_from_onnx", [](const std::string& path) {
    return Serialized([&] { return writer::GraphDefFromOnnx(path); });
  });
  module.def("graph_from_openvino", [](const std::string& path) {
    return Serialized([&] { return writer::GraphDefFromOpenVino(path); });
  });
  module.def("tensorboard_bin_edges", [] {
    const auto edges = tensor::TensorBoardBinEdges();
    return std::vector<double>(edges.begin(), edges.end());
  });
}

}  // namespace cboard::python
