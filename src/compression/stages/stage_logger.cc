#include "cboard/compression/stage_logger.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/compression/names.h"
#include "cboard/compression/stage_names.h"
#include "cboard/object_store/object_url.h"
#include "cboard/proto/summary.h"
#include "compression/stages/figures.h"
#include "writer/media/png_encoder.h"

namespace cboard::compression {
namespace {

constexpr char kFigures[] = "figures";
constexpr std::string_view kResources = "Resources";

bool IsNumber(double value) { return !std::isnan(value); }

// Keeps the tag unchanged: SummaryWriter::AddFigure would replace the spaces in the toolkit's tags.
Result<void> AddPicture(SummaryWriter& writer, std::string_view tag,
                        const writer::media::Pixels& picture) {
  CBOARD_ASSIGN_OR_RETURN(const std::string file, writer::media::EncodePng(picture));
  std::string summary;
  proto::AppendImageValue(tag,
                          {.height = static_cast<std::int32_t>(picture.height),
                           .width = static_cast<std::int32_t>(picture.width),
                           .colorspace = static_cast<std::int32_t>(picture.channels),
                           .encoded = file},
                          {}, summary);
  return writer.AddSummary(summary, 0);
}

}  // namespace

Result<std::unique_ptr<StageLogger>> StageLogger::Open(StageLoggerOptions options) {
  const std::optional<std::filesystem::path> folder = LogFolder();
  if (!folder) {
    return Fail(ErrorCode::kFailedPrecondition,
                "no log directory is set; call SetLogFolder, or give a directory");
  }
  return OpenIn(*folder, std::move(options));
}

Result<std::unique_ptr<StageLogger>> StageLogger::OpenIn(const std::filesystem::path& directory,
                                                         StageLoggerOptions options) {
  std::filesystem::path logs = directory / "tensorboard_logs";
  // Creates the directory, except in a bucket, because buckets have no directories.
  if (!object_store::IsObjectUrl(logs.native())) CBOARD_RETURN_IF_ERROR(CreateDirectories(logs));
  return std::unique_ptr<StageLogger>(new StageLogger(std::move(logs), std::move(options)));
}

StageLogger::StageLogger(std::filesystem::path directory, StageLoggerOptions options)
    : directory_(std::move(directory)), options_(std::move(options)) {
  if (!options_.writer.io_thread) options_.writer.io_thread = writer::MakeIoThread();
}

StageLogger::~StageLogger() = default;

Result<SummaryWriter*> StageLogger::WriterOf(const std::string& run) {
  std::unique_ptr<SummaryWriter>& writer = writers_[run];
  if (!writer) {
    auto opened = std::make_unique<SummaryWriter>(directory_ / run, options_.writer);
    CBOARD_RETURN_IF_ERROR(opened->status());
    writer = std::move(opened);
  }
  return writer.get();
}

Result<SummaryWriter*> StageLogger::WriterOfStage(std::string_view stage) {
  if (!DescribeStage(stage)) {
    std::string known;
    for (const std::string_view name : StageNames()) {
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(stage) + " is not the name of a quantization stage; choose one of " + known);
  }
  return WriterOf(std::string(stage));
}

Result<void> StageLogger::LogGraph(std::string_view stage, const StageGraph& graph) {
  CBOARD_ASSIGN_OR_RETURN(const EncodedStageGraph encoded, EncodeStageGraph(graph));
  CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const writer, WriterOfStage(stage));
  CBOARD_RETURN_IF_ERROR(writer->AddGraph(encoded.graph_def));
  return writer->AddRunMetadata(kResources, encoded.resources);
}

Result<void> StageLogger::LogHistogram(std::string_view stage, std::string_view layer,
                                       const tensor::HistogramData& histogram) {
  CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const writer, WriterOfStage(stage));
  return writer->AddHistogramRaw(layer, histogram, 0);
}

Result<void> StageLogger::LogChannels(std::string_view stage, std::string_view layer,
                                      std::span<const tensor::TensorStatistics> channels) {
  CBOARD_RETURN_IF_ERROR(WriterOfStage(stage));
  const auto log = [&](const char* name, auto value_of) -> Result<void> {
    CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const run, WriterOf(std::string(stage) + "/" + name));
    std::int64_t channel = 0;
    for (const tensor::TensorStatistics& values : channels) {
      if (values.finite_count() > 0) {
        CBOARD_RETURN_IF_ERROR(run->AddScalar(layer, value_of(values), channel));
      }
      ++channel;
    }
    return {};
  };
  CBOARD_RETURN_IF_ERROR(log("min_per_channel", [](const auto& values) { return values.min; }));
  CBOARD_RETURN_IF_ERROR(log("max_per_channel", [](const auto& values) { return values.max; }));
  return log("mean_per_channel", [](const auto& values) {
    return values.sum / static_cast<double>(values.finite_count());
  });
}

Result<void> StageLogger::LogStatistics(std::string_view stage, std::string_view layer,
                                        const OutputStatistics& statistics) {
  if (const std::optional<tensor::HistogramData> histogram = statistics.Histogram()) {
    CBOARD_RETURN_IF_ERROR(LogHistogram(stage, layer, *histogram));
  }
  const tensor::TensorStatistics& total = statistics.total();
  if (const std::uint64_t left_out = total.count - total.finite_count()) {
    CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const writer, WriterOfStage(stage));
    CBOARD_RETURN_IF_ERROR(writer->AddScalar(std::string(layer) + "/non_finite_count",
                                             static_cast<double>(left_out), 0));
  }
  return LogChannels(stage, layer, statistics.channels());
}

Result<void> StageLogger::LogLayerFigures(std::string_view stage, std::string_view layer,
                                          const std::map<std::string, double>& figures) {
  CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const writer, WriterOfStage(stage));
  for (const auto& [metric, value] : figures) {
    if (!IsNumber(value)) continue;
    CBOARD_RETURN_IF_ERROR(writer->AddScalar(TagPrefixOf(options_.model) + "/layers/" +
                                                 std::string(layer) + "/" + metric + "/" +
                                                 std::string(stage),
                                             value, 0));
  }
  return {};
}

Result<void> StageLogger::LogCosines(std::span<const std::string> layers,
                                     std::span<const std::vector<double>> samples) {
  if (samples.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "no sample was compared; call AddSample before");
  }
  CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const writer, WriterOf(kFigures));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::string number = std::to_string(i);
    for (std::size_t point = 0; point < samples[i].size(); ++point) {
      if (!IsNumber(samples[i][point])) continue;
      CBOARD_RETURN_IF_ERROR(writer->AddScalar("similarity/sample_" + number, samples[i][point],
                                               static_cast<std::int64_t>(point)));
    }
    if (i >= kSimilaritySamples || std::ranges::none_of(samples[i], IsNumber)) continue;
    CBOARD_ASSIGN_OR_RETURN(const writer::media::Pixels figure,
                            stages::DrawLine(samples[i], "Layer", "Cosine similarity"));
    CBOARD_RETURN_IF_ERROR(AddPicture(*writer, "similarity_distance_sample_" + number, figure));
  }
  const std::vector<double> means = MeanCosines(layers.size(), samples);
  for (std::size_t point = 0; point < layers.size(); ++point) {
    // Skips a value that is not a number; other points keep their positions.
    CBOARD_RETURN_IF_ERROR(writer->AddScalar("similarity/points/" + layers[point], means[point],
                                             static_cast<std::int64_t>(point)));
  }
  return {};
}

Result<void> StageLogger::LogSimilarity(const ModelSimilarity& similarity, std::string_view stage) {
  if (!similarity.samples().empty()) CBOARD_RETURN_IF_ERROR(WriterOfStage(stage));
  CBOARD_RETURN_IF_ERROR(LogCosines(similarity.layers(), similarity.samples()));
  const std::vector<double> cosines = similarity.MeanCosines();
  const std::vector<tensor::Comparison> comparisons = similarity.Comparisons();
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const tensor::Comparison& layer = comparisons[i];
    // The errors are logged as accumulated errors: both models ran from their own inputs, so errors
    // of earlier layers are included.
    std::map<std::string, double> figures = {{"cosine", cosines[i]},
                                             {"accumulated_sqnr_db", layer.total.SqnrDb()},
                                             {"mse", layer.total.Mse()}};
    if (layer.worst_channel) {
      figures["accumulated_worst_channel_sqnr_db"] = layer.channels[*layer.worst_channel].SqnrDb();
    }
    CBOARD_RETURN_IF_ERROR(LogLayerFigures(stage, similarity.layers()[i], figures));
  }
  return {};
}

Result<void> StageLogger::LogLocalErrors(const ModelSimilarity& local, std::string_view stage) {
  const std::vector<tensor::Comparison> comparisons = local.Comparisons();
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const tensor::Comparison& layer = comparisons[i];
    std::map<std::string, double> figures = {{"sqnr_db", layer.total.SqnrDb()}};
    if (layer.worst_channel) {
      figures["worst_channel"] = static_cast<double>(*layer.worst_channel);
      figures["worst_channel_sqnr_db"] = layer.channels[*layer.worst_channel].SqnrDb();
    }
    CBOARD_RETURN_IF_ERROR(LogLayerFigures(stage, local.layers()[i], figures));
  }
  return {};
}

Result<void> StageLogger::LogBitWidths(std::span<const LayerBits> layers) {
  CBOARD_ASSIGN_OR_RETURN(SummaryWriter* const writer, WriterOf(kFigures));
  const auto log = [&](const char* title, const std::string& kind, const char* x_label,
                       stages::BarColours colours,
                       std::optional<int> LayerBits::*bits) -> Result<void> {
    std::vector<stages::Bar> bars;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::optional<int>& width = layers[i].*bits;
      if (!width) continue;
      bars.push_back({layers[i].op, *width});
      CBOARD_RETURN_IF_ERROR(writer->AddScalar("bits/" + kind + "/" + layers[i].layer, *width,
                                               static_cast<std::int64_t>(i)));
    }
    if (bars.empty()) return {};
    CBOARD_ASSIGN_OR_RETURN(const writer::media::Pixels figure,
                            stages::DrawBars(bars, x_label, "Number of bits", colours));
    return AddPicture(*writer, title, figure);
  };
  CBOARD_RETURN_IF_ERROR(log("Weights final bit-width config", "weights", "Layers",
                             stages::BarColours::kByBits, &LayerBits::weights));
  return log("Activation final bit-width config", "activations", "Layer index",
             stages::BarColours::kOne, &LayerBits::activation);
}

Result<void> StageLogger::Flush() {
  for (auto& [run, writer] : writers_) {
    if (writer) CBOARD_RETURN_IF_ERROR(writer->Flush());
  }
  return {};
}

Result<void> StageLogger::Close() {
  Result<void> first;
  for (auto& [run, writer] : writers_) {
    if (!writer) continue;
    Result<void> closed = writer->Close();
    if (first && !closed) first = Fail(Annotate(std::move(closed).error(), "run " + Quoted(run)));
  }
  writers_.clear();
  return first;
}

}  // namespace cboard::compression
