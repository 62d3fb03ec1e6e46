#include "cboard/compression/model_similarity.h"
#include "cboard/compression/stage_logger.h"
#include "demo/graphs.h"
#include "demo/layer_log.h"

namespace cboard::demo {
namespace {

std::vector<std::int64_t> BatchShape(const LayerShape& shape, std::size_t pictures) {
  const auto size = static_cast<std::int64_t>(shape.out_size());
  return {static_cast<std::int64_t>(pictures), static_cast<std::int64_t>(shape.out_channels), size,
          size};
}

Result<void> LogStatistics(const DemoVariant& fp32, const Digits& test, StageLogger& logger) {
  for (std::size_t i = 0; i < NetworkShape().size(); ++i) {
    const LayerShape& shape = NetworkShape()[i];
    const std::vector<float> outputs = CollectOutputs(fp32, test, i);
    compression::OutputStatistics statistics;
    CBOARD_RETURN_IF_ERROR(statistics.Add(TensorView(outputs, BatchShape(shape, test.size()))));
    CBOARD_RETURN_IF_ERROR(logger.LogStatistics("thresholds_selection", shape.name, statistics));
  }
  return {};
}

Result<void> LogSimilarity(const DemoVariant& fp32, const DemoVariant& int8, const Digits& test,
                           StageLogger& logger) {
  VariantRunner reference(fp32), compressed(int8);
  compression::ModelSimilarity similarity;
  for (std::size_t sample = 0; sample < compression::kSimilaritySamples; ++sample) {
    reference.Run(test.image(sample));
    compressed.Run(test.image(sample));
    // The float output and the quantized output of each layer. They are valid only during the call.
    std::vector<std::vector<float>> outputs;
    for (std::size_t i = 0; i < NetworkShape().size(); ++i) {
      outputs.push_back(reference.Output(i));
      outputs.push_back(compressed.Output(i));
    }
    std::vector<compression::ComparePoint> points;
    for (std::size_t i = 0; i < NetworkShape().size(); ++i) {
      const LayerShape& shape = NetworkShape()[i];
      points.push_back({shape.name, TensorView(outputs[2 * i], BatchShape(shape, 1)),
                        TensorView(outputs[2 * i + 1], BatchShape(shape, 1))});
    }
    CBOARD_RETURN_IF_ERROR(similarity.AddSample(points));
  }
  return logger.LogSimilarity(similarity);
}

std::vector<compression::LayerBits> BitsOf(const QuantizedNetwork& network) {
  std::vector<compression::LayerBits> bits;
  for (std::size_t i = 0; i < NetworkShape().size(); ++i) {
    bits.push_back({std::string(NetworkShape()[i].name), std::string(NetworkShape()[i].op),
                    network.layers[i].keep_float ? 32 : network.weight_bits, 8});
  }
  return bits;
}

}  // namespace

Result<void> LogStages(const DemoVariant& fp32, const DemoVariant& int8, const Digits& test,
                       const std::filesystem::path& directory) {
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<StageLogger> logger,
                          StageLogger::OpenIn(directory, {.model = std::string(kModel)}));
  const QuantizedNetwork* quantized = &*int8.quantized;
  CBOARD_RETURN_IF_ERROR(logger->LogGraph("initial_graph", GraphOf(nullptr, GraphDetail::kFloat)));
  CBOARD_RETURN_IF_ERROR(
      logger->LogGraph("thresholds_selection", GraphOf(quantized, GraphDetail::kThresholds)));
  CBOARD_RETURN_IF_ERROR(LogStatistics(fp32, test, *logger));
  CBOARD_RETURN_IF_ERROR(
      logger->LogGraph("after_quantization", GraphOf(quantized, GraphDetail::kQuantized)));
  CBOARD_RETURN_IF_ERROR(LogSimilarity(fp32, int8, test, *logger));
  CBOARD_RETURN_IF_ERROR(logger->LogBitWidths(BitsOf(*quantized)));
  return logger->Close();
}

}  // namespace cboard::demo
