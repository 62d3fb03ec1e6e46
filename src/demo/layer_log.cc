#include "demo/layer_log.h"

#include <algorithm>

#include "cboard/tensor/compare.h"

namespace cboard::demo {
namespace {

std::string TagOf(const LayerShape& shape, std::string_view what, const DemoVariant& variant) {
  return std::string(kModel) + "/layers/" + std::string(shape.name) + "/" + std::string(what) +
         "/" + variant.name;
}

std::vector<std::int64_t> WeightShape(const LayerShape& shape) {
  return {static_cast<std::int64_t>(shape.out_channels),
          static_cast<std::int64_t>(shape.weights_per_output())};
}

// Returns the edges of bins of equal width over all baseline values. The edges are the same for
// every variant, and the bins are wider than the quantization steps.
std::vector<double> EdgesOf(std::span<const float> reference) {
  constexpr int kBins = 120;
  const auto [min, max] = std::ranges::minmax(reference);
  const double margin = 0.05 * (max - min) + 1e-6;
  std::vector<double> edges;
  for (int i = 0; i <= kBins; ++i) {
    edges.push_back(min - margin + (max - min + 2 * margin) * i / kBins);
  }
  return edges;
}

Result<void> LogDistance(const LayerShape& shape, const tensor::Comparison& comparison,
                         const DemoVariant& variant, SummaryWriter& writer) {
  const auto log = [&](std::string_view what, double value) {
    return writer.AddScalar(TagOf(shape, what, variant), value, 0);
  };
  CBOARD_RETURN_IF_ERROR(log("sqnr_db", comparison.total.SqnrDb()));
  CBOARD_RETURN_IF_ERROR(log("cosine", comparison.total.Cosine()));
  CBOARD_RETURN_IF_ERROR(log("mse", comparison.total.Mse()));
  if (comparison.worst_channel) {
    CBOARD_RETURN_IF_ERROR(log("worst_channel", static_cast<double>(*comparison.worst_channel)));
    CBOARD_RETURN_IF_ERROR(
        log("worst_channel_sqnr_db", comparison.channels[*comparison.worst_channel].SqnrDb()));
  }
  return {};
}

}  // namespace

TensorView WeightsOf(const DemoVariant& variant, std::size_t layer) {
  const LayerShape& shape = NetworkShape()[layer];
  if (!variant.quantized || variant.quantized->layers[layer].keep_float) {
    return TensorView(variant.network->layers[layer].weights, WeightShape(shape));
  }
  const QuantizedLayer& quantized = variant.quantized->layers[layer];
  TensorView view(quantized.codes, WeightShape(shape));
  view.quantization = quantized.scales.size() == 1
                          ? Quantization::PerTensor(quantized.scales)
                          : Quantization::PerChannel(quantized.scales, {}, 0);
  return view;
}

std::vector<float> CollectOutputs(const DemoVariant& variant, const Digits& digits,
                                  std::size_t layer) {
  VariantRunner runner(variant);
  std::vector<float> outputs;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    runner.Run(digits.image(i));
    const std::vector<float> output = runner.Output(layer);
    outputs.insert(outputs.end(), output.begin(), output.end());
  }
  return outputs;
}

Result<void> LogLayers(const DemoVariants& made, const Digits& test, SummaryWriter& writer) {
  const DemoVariant& baseline = made.variants.front();
  for (std::size_t layer = 0; layer < NetworkShape().size(); ++layer) {
    const LayerShape& shape = NetworkShape()[layer];
    const std::vector<std::int64_t> dimensions = {static_cast<std::int64_t>(test.size()),
                                                  static_cast<std::int64_t>(shape.out_channels),
                                                  static_cast<std::int64_t>(shape.positions())};
    const std::vector<float> reference = CollectOutputs(baseline, test, layer);
    const std::vector<double> edges = EdgesOf(reference);
    for (const DemoVariant& variant : made.variants) {
      const std::vector<float> outputs = CollectOutputs(variant, test, layer);
      CBOARD_RETURN_IF_ERROR(
          writer.AddHistogram(TagOf(shape, "weight", variant), WeightsOf(variant, layer), 0));
      CBOARD_RETURN_IF_ERROR(writer.AddHistogram(TagOf(shape, "output", variant), outputs, 0,
                                                 tensor::BinEdges{edges}));
      CBOARD_ASSIGN_OR_RETURN(
          const tensor::Comparison comparison,
          tensor::Compare(TensorView(reference, dimensions), TensorView(outputs, dimensions),
                          {.channel_axis = 1}));
      CBOARD_RETURN_IF_ERROR(writer.AddScalar(TagOf(shape, "bytes", variant),
                                              static_cast<double>(variant.layer_bytes[layer]), 0));
      if (&variant == &baseline) continue;  // The baseline is not compared with itself.
      CBOARD_RETURN_IF_ERROR(LogDistance(shape, comparison, variant, writer));
    }
  }
  return {};
}

}  // namespace cboard::demo
