#include "cboard/analysis/layer_bytes.h"

#include <gmock/gmock.h>

#include "analysis/testing/graph_builder.h"
#include "analysis/testing/log_builder.h"

namespace cboard::analysis {
namespace {

using proto::Attribute;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Formats a layer as "conv1 400 100"; a dash for a missing size.
std::vector<std::string> Texts(const std::vector<LayerBytes>& layers) {
  std::vector<std::string> texts;
  const auto text = [](const std::optional<double>& bytes) {
    return bytes ? std::to_string(static_cast<int>(*bytes)) : "-";
  };
  for (const LayerBytes& layer : layers) {
    texts.push_back(layer.layer + " " + text(layer.a) + " " + text(layer.b));
  }
  return texts;
}

TEST(LoggedLayerBytes, PairsVariantsLargestSavingFirst) {
  LogBuilder log;
  log.Scalar("run", "net/layers/conv1/bytes/fp32", 400);
  log.Scalar("run", "net/layers/conv1/bytes/int8", 100);
  log.Scalar("run", "net/layers/head/fc/bytes/fp32", 4000);
  log.Scalar("run", "net/layers/head/fc/bytes/int8", 1000);
  log.Scalar("run", "net/layers/grown/bytes/fp32", 10);
  log.Scalar("run", "net/layers/grown/bytes/int8", 20);
  log.Scalar("run", "net/layers/gone/bytes/fp32", 90000);
  log.Scalar("run", "net/layers/conv1/bytes/w4a8", 50);
  log.Scalar("run", "net/layers/conv1/sqnr_db/int8", 30);
  log.Scalar("run", "other/layers/conv1/bytes/int8", 7);
  const auto snapshot = log.Read();
  EXPECT_THAT(Texts(LoggedLayerBytes(*snapshot, "net", "fp32", "int8")),
              ElementsAre("head/fc 4000 1000", "conv1 400 100", "grown 10 20", "gone 90000 -"));
  EXPECT_THAT(Texts(LoggedLayerBytes(*snapshot, "net", "int8", "int8")),
              ElementsAre("conv1 100 100", "grown 20 20", "head/fc 1000 1000"));
  EXPECT_THAT(LoggedLayerBytes(*snapshot, "nobody", "fp32", "int8"), IsEmpty());
}

TestNode Weight(const std::string& name, const std::string& type, std::int64_t size) {
  return {name,
          "Const",
          {},
          {{"_output_shapes", Attribute::ShapeList({{size}})}, {"dtype", Attribute::String(type)}}};
}

TEST(GraphLayerBytes, CountsWhatWasFusedWhereItWent) {
  const auto fp32 = Measured({{"x", "Placeholder"},
                              Weight("w", "float32", 100),
                              {"conv", "Conv", {"x", "w"}},
                              Weight("scale", "float32", 10),
                              {"bn", "BatchNormalization", {"conv", "scale"}},
                              {"relu", "Relu", {"bn"}}});
  const auto int8 =
      Measured({{"x", "Placeholder"}, Weight("w", "int8", 100), {"conv", "Conv", {"x", "w"}}});
  EXPECT_THAT(Texts(GraphLayerBytes(MakeScene(fp32, int8), NodeWeight::kConstants)),
              ElementsAre("conv 440 100"));
}

TEST(GraphLayerBytes, CountsADequantizedWeightOnceAndItsBiasToo) {
  const auto fp32 = Measured(
      {Weight("w", "float32", 100), Weight("bias", "float32", 8), {"conv", "Conv", {"w", "bias"}}});
  const auto int8 = Measured({Weight("w", "int8", 100),
                              {"dq", "DequantizeLinear", {"w"}},
                              Weight("bias", "int32", 8),
                              {"dq_bias", "DequantizeLinear", {"bias"}},
                              {"conv", "Conv", {"dq", "dq_bias"}}});
  EXPECT_THAT(Texts(GraphLayerBytes(MakeScene(fp32, int8), NodeWeight::kConstants)),
              ElementsAre("conv 432 132"));
}

TEST(GraphLayerBytes, TakesWhatRunMetadataSays) {
  const auto measured = [](std::int64_t bytes) {
    return Measured({{"conv", "Conv"}, {"relu", "Relu", {"conv"}}},
                    {{.node_name = "conv", .total_bytes = bytes}});
  };
  EXPECT_THAT(
      Texts(GraphLayerBytes(MakeScene(measured(400), measured(100)), NodeWeight::kMetadata)),
      ElementsAre("conv 400 100"));
}

}  // namespace
}  // namespace cboard::analysis
