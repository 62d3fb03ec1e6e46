#include "quantize/stage_log.h"

#include <algorithm>
#include <cmath>

#include "base/temporary_folder.h"
#include "cboard/compare/model_stages.h"
#include "cboard/compression/stage_logger.h"
#include "cboard/model/model_graph.h"
#include "compare/output/log_parts.h"
#include "quantize/graph/encode_graph.h"
#include "quantize/quantizer_state.h"

namespace cboard::quantize {
namespace {

// Maximum number of bins of logged histograms; calibration counts in more bins.
constexpr std::size_t kMaxLoggedBins = 512;

Result<void> LogGraph(const std::filesystem::path& file, const std::string& name,
                      const model::InputShapes& shapes, std::string_view stage,
                      StageLogger& logger) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph model, model::OpenModel(file, shapes));
  return logger.LogGraph(stage, compare::StageGraphOf(model, name));
}

Result<void> LogGraph(const Graph& graph, const std::string& name, const model::InputShapes& shapes,
                      std::string_view stage, StageLogger& logger) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "stage.onnx";
  CBOARD_RETURN_IF_ERROR(WriteModel(graph, file));
  return LogGraph(file, name, shapes, stage, logger);
}

tensor::HistogramData HistogramOf(const TensorStatistics& statistics) {
  tensor::HistogramData data{.min = statistics.min,
                             .max = statistics.max,
                             .num = static_cast<double>(statistics.count),
                             .sum = statistics.sum,
                             .sum_squares = statistics.sum_squares};
  const std::vector<double>& counts = statistics.histogram.counts();
  const auto is_used = [](double count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_used);
  if (first == counts.end()) return data;
  auto begin = static_cast<std::size_t>(first - counts.begin());
  std::size_t end = counts.size();
  while (counts[end - 1] <= 0) --end;
  std::size_t joined = 1;
  while ((end - begin) / joined > kMaxLoggedBins) joined *= 2;
  begin -= begin % joined;
  const double width = statistics.histogram.width();
  const auto edge = [&](std::size_t bin) {
    return (static_cast<double>(bin) - static_cast<double>(counts.size() / 2)) * width;
  };
  // Adds an empty bin at the beginning for the left edge.
  data.bucket_limits.push_back(edge(begin));
  data.bucket_counts.push_back(0);
  for (; begin < end; begin += joined) {
    double sum = 0;
    for (std::size_t i = begin; i < std::min(begin + joined, counts.size()); ++i) sum += counts[i];
    data.bucket_limits.push_back(edge(begin + joined));
    data.bucket_counts.push_back(sum);
  }
  return data;
}

std::vector<tensor::TensorStatistics> ChannelsOf(const TensorStatistics& statistics) {
  std::vector<tensor::TensorStatistics> channels(statistics.channel_min.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i] = {.count = statistics.count / channels.size(),
                   .min = statistics.channel_min[i],
                   .max = statistics.channel_max[i],
                   .sum = statistics.channel_sum[i],
                   .sum_squares = statistics.channel_sum_squares[i]};
  }
  return channels;
}

// Returns the layer whose output the tensor is: the node before Relu and Clip.
std::string LayerOf(const Graph& graph, const GraphIndex& index, const Placement& placement,
                    const std::string& tensor) {
  std::size_t producer = index.Producer(tensor);
  if (producer == GraphIndex::kNone) return tensor;
  while (placement.nodes[producer].role == NodeRole::kFused) {
    const std::size_t before = index.Producer(graph.nodes[producer].Input(0));
    if (before == GraphIndex::kNone) break;
    producer = before;
  }
  const Node& node = graph.nodes[producer];
  return node.name.empty() ? node.outputs[0] : node.name;
}

Result<void> LogCalibration(const ModelQuantizer::State& state, StageLogger& logger) {
  constexpr std::string_view kStage = "after_calibration";
  const GraphIndex index(state.graph);
  for (const auto& [tensor, statistics] : state.calibration.statistics.tensors) {
    if (!statistics.is_usable()) continue;
    const std::string layer = LayerOf(state.graph, index, state.placement, tensor);
    const std::string_view name = compare::WithoutSlash(layer);
    CBOARD_RETURN_IF_ERROR(logger.LogHistogram(kStage, name, HistogramOf(statistics)));
    const std::vector<tensor::TensorStatistics> channels = ChannelsOf(statistics);
    if (!channels.empty()) CBOARD_RETURN_IF_ERROR(logger.LogChannels(kStage, name, channels));
  }
  return {};
}

}  // namespace

Result<void> LogStages(const ModelQuantizer& model, const QuantizeReport& report,
                       const std::filesystem::path& directory) {
  const ModelQuantizer::State& state = model.state();
  const std::string name = report.model.stem().string();
  const model::InputShapes& shapes = model.options().shapes;
  CBOARD_ASSIGN_OR_RETURN(const auto logger, StageLogger::OpenIn(directory, {.model = name}));
  if (report.comparison) {
    CBOARD_RETURN_IF_ERROR(compare::LogModelStages(*report.comparison, *logger));
  } else {
    CBOARD_RETURN_IF_ERROR(LogGraph(report.model, name, shapes, "initial_graph", *logger));
    CBOARD_RETURN_IF_ERROR(LogGraph(report.output, report.output.stem().string(), shapes,
                                    "after_quantization", *logger));
  }
  CBOARD_RETURN_IF_ERROR(LogGraph(state.prepared, name, shapes, "after_folding", *logger));
  CBOARD_RETURN_IF_ERROR(LogGraph(state.graph, name, shapes, "after_equalization", *logger));
  CBOARD_RETURN_IF_ERROR(LogGraph(state.graph, name, shapes, "after_calibration", *logger));
  CBOARD_RETURN_IF_ERROR(LogCalibration(state, *logger));
  return logger->Close();
}

}  // namespace cboard::quantize
