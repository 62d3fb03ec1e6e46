// Requests the routes for two variants for real event files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "cboard/compression/tags.h"
#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PairRoutesTest : public ::testing::Test {
 protected:
  PairRoutesTest() {
    {
      SummaryWriter layers((logdir_ / "layers").string());
      layers.AddScalar("net/layers/conv1/bytes/fp32", 400, 0);
      layers.AddScalar("net/layers/conv1/bytes/int8", 100, 0);
      layers.AddScalar("net/layers/fc/bytes/fp32", 4000, 0);
      layers.AddScalar("net/layers/fc/bytes/int8", 1000, 0);
      layers.AddScalar("net/per_class/accuracy/cat/fp32", 0.75, 0);
      layers.AddScalar("net/per_class/accuracy/cat/int8", 0.5, 0);
      layers.AddScalar("net/per_class/accuracy/dog/fp32", 1, 0);
      // There is no variant to compare it with.
      layers.AddScalar("graphed/layers/conv/bytes/int8", 7, 0);
      const std::array<std::int64_t, 1> shape = {1};
      const std::array<std::string_view, 1> verified = {
          R"({"v":1,"samples":4,"verified_layers":["fc"],"verified":[)"
          R"({"restored":"nothing","text":"as it is","sqnr_db":9},)"
          R"({"restored":"parts","text":"'fc' weights in float","sqnr_db":null,)"
          R"("parts":[{"layer":"fc","part":"weight"}]}]})"};
      std::string summary;
      proto::AppendTensorValue("net/verified/runs/int8", proto::EncodeStringTensor(shape, verified),
                               {.plugin_name = compression::kCompressionPluginName}, summary);
      EXPECT_TRUE(layers.AddSummary(summary, 0));
    }
    for (const auto& [variant, bytes] : {std::pair("fp32", 640), std::pair("int8", 160)}) {
      SummaryWriter run((logdir_ / "graphed" / variant).string());
      proto::GraphBuilder graph;
      graph.AddNode({.name = "conv", .op = "Conv"});
      EXPECT_TRUE(run.AddGraph(graph.Encode()));
      EXPECT_TRUE(run.AddRunMetadata(
          "Resources", proto::EncodeRunMetadata({{.node_name = "conv", .total_bytes = bytes}})));
      EXPECT_TRUE(
          run.AddHParams({{"bits", bytes == 640 ? 32.0 : 8.0}, {"seed", 1.0}, {"scheme", "<b>sym"}},
                         {}, "hparams"));
    }
    auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
    EXPECT_TRUE(board);
    board_ = *std::move(board);
    EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  std::string Get(const std::string& target) const {
    HttpResponse response = board_->Handle({.method = "GET", .target = "/api/v1" + target});
    return (response.later ? response.later() : response).body;
  }

  cboard::testing::TempDir logdir_;
  std::unique_ptr<Board> board_;
};

TEST_F(PairRoutesTest, LayersHaveWhatWasVerifiedOfThem) {
  const std::string answer = Get("/compression/layers?model=net&a=fp32&b=int8");
  // No layer of another model is listed.
  EXPECT_THAT(answer, HasSubstr(R"("names":["conv1","fc"])"));
  EXPECT_THAT(answer, HasSubstr(R"("restored_alone_db":[null,"Infinity"])"));
  EXPECT_THAT(
      answer,
      HasSubstr(
          R"("verified":{"summary":"this part in float brings the end from 9.0 dB to exactly what )"
          R"(the baseline gives","ends":["fc"],"samples":4,"texts":["as it is","'fc' weights in )"
          R"(float"],"parts":[{"layers":[],"tensors":[]},{"layers":["fc"],"tensors":["weight"]}],)"
          R"("sqnr_db":[9,"Infinity"],"gains_db":[0,"Infinity"],"why_not":["",""],"best":1})"));
  EXPECT_THAT(Get("/compression/layers?model=graphed&a=fp32&b=int8"),
              HasSubstr(R"("verified":null)"));
}

TEST_F(PairRoutesTest, LayersAreThoseOfTheModelAlone) {
  EXPECT_THAT(Get("/compression/layers?model=net&a=fp32&b=int8"),
              HasSubstr(R"("layers":{"names":["conv1","fc"],)"));
  EXPECT_THAT(Get("/compression/layers?model=graphed&a=fp32&b=int8"),
              HasSubstr(R"("layers":{"names":["conv"],)"));
}

TEST_F(PairRoutesTest, LayersOfTwoModelsAreNoPair) {
  {
    SummaryWriter other((logdir_ / "other").string());
    other.AddScalar("other/layers/fc/bytes/int4", 10, 0);
    other.AddScalar("other/layers/fc/bytes/int2", 5, 0);
  }
  auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
  ASSERT_TRUE(board);
  board_ = *std::move(board);
  EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  EXPECT_THAT(Get("/compression/layers?a=fp32&b=int4"),
              HasSubstr("the layers of variants 'fp32' and 'int4' belong to different models"));
  EXPECT_THAT(Get("/compression/layers?a=int4&b=int2"), HasSubstr(R"("model":"other")"));
}

TEST_F(PairRoutesTest, ChannelsAreThoseOfTheModelAlone) {
  const auto channels_of = [&](const std::string& model) {
    return Get("/compression/channels?layer=/fc&tensor=weight&model=" + model);
  };
  {
    SummaryWriter writer((logdir_ / "pair" / "int8" / "min_per_channel").string());
    for (const auto& [model, least] : {std::pair("net", -1), std::pair("graphed", -2)}) {
      EXPECT_TRUE(writer.AddScalar(
          std::string(model) + "/channels/fc/weight", least, 0,
          {.plugin_name = std::string(compression::kCompressionPluginName),
           .plugin_content = R"({"v":1,"model":")" + std::string(model) + R"(","layer":"/fc"})"}));
    }
  }
  auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
  ASSERT_TRUE(board);
  board_ = *std::move(board);
  EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  EXPECT_THAT(channels_of("net"), HasSubstr(R"("min":[-1])"));
  EXPECT_THAT(channels_of("graphed"), HasSubstr(R"("min":[-2])"));
  EXPECT_THAT(channels_of("third"), HasSubstr(R"("stages":[])"));
}

// The layer metrics of a stage log name its model, whatever the name of its directory is.
TEST_F(PairRoutesTest, ChannelsOfStagesThatNameAModelAreNobodyElses) {
  {
    SummaryWriter writer(
        (logdir_ / "stages" / "thresholds_selection" / "min_per_channel").string());
    EXPECT_TRUE(writer.AddScalar("fc", -3, 0));
    SummaryWriter figures((logdir_ / "stages" / "after_quantization").string());
    EXPECT_TRUE(figures.AddScalar("net/layers/fc/cosine/after_quantization", 1, 0));
  }
  auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
  ASSERT_TRUE(board);
  board_ = *std::move(board);
  EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  for (const char* const own : {"net", "stages"}) {
    EXPECT_THAT(Get("/compression/channels?layer=fc&model=" + std::string(own)),
                HasSubstr(R"("min":[-3])"))
        << own;
  }
  EXPECT_THAT(Get("/compression/channels?layer=fc&model=eval"), HasSubstr(R"("stages":[])"));
}

// Stage logs may name no model, and their directory may have any name.
TEST_F(PairRoutesTest, ChannelsOfStagesAreThoseBelowTheModelsNameOrElseAll) {
  const auto channels_after_logging = [&](const std::string& directory, double least) {
    {
      SummaryWriter writer(
          (logdir_ / directory / "thresholds_selection" / "min_per_channel").string());
      EXPECT_TRUE(writer.AddScalar("fc", least, 0));
    }
    auto board = Board::Open({.logdirs = {{.path = logdir_.path()}}});
    EXPECT_TRUE(board);
    board_ = *std::move(board);
    EXPECT_TRUE(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
    return Get("/compression/channels?layer=fc&model=net");
  };
  EXPECT_THAT(channels_after_logging("toolkit", -3), HasSubstr(R"("min":[-3])"));
  const std::string own = channels_after_logging("net", -4);
  EXPECT_THAT(own, HasSubstr(R"("min":[-4])"));
  EXPECT_THAT(own, Not(HasSubstr(R"("min":[-3])")));
}

TEST_F(PairRoutesTest, BytesComeFromFiguresOfLayers) {
  EXPECT_THAT(
      Get("/compression/bytes?model=net&a=fp32&b=int8"),
      HasSubstr(
          R"("source":"logged","layers":{"names":["fc","conv1"],"a":[4000,400],"b":[1000,100]})"));
}

TEST_F(PairRoutesTest, BytesComeFromGraphsWhereNoLayerHasBothFigures) {
  EXPECT_THAT(Get("/compression/bytes?model=graphed&a=fp32&b=int8"),
              HasSubstr(R"("source":"graphs","layers":{"names":["conv"],"a":[640],"b":[160]})"));
}

TEST_F(PairRoutesTest, NothingLoggedIsAnAnswerToo) {
  EXPECT_THAT(Get("/compression/bytes?model=nobody&a=fp32&b=int8"),
              HasSubstr(R"("source":"none","layers":{"names":[],"a":[],"b":[]})"));
  EXPECT_THAT(Get("/compression/config?model=nobody&a=fp32&b=int8"),
              HasSubstr(R"("settings":{"names":[],"a":[],"b":[],"differ":[]})"));
}

TEST_F(PairRoutesTest, ClassesComeWithTheirDrop) {
  EXPECT_THAT(Get("/compression/classes?model=net&a=fp32&b=int8"),
              HasSubstr(R"("classes":{"metrics":["accuracy","accuracy"],"names":["cat","dog"],)"
                        R"("a":[0.75,1],"b":[0.5,null],"drops":[0.25,null]})"));
}

TEST_F(PairRoutesTest, SettingsThatDifferComeFirst) {
  EXPECT_THAT(Get("/compression/config?model=graphed&a=fp32&b=int8"),
              HasSubstr(R"("names":["bits","scheme","seed"],"a":[32,"<b>sym",1],)"
                        R"("b":[8,"<b>sym",1],"differ":[true,false,false])"));
}

}  // namespace
}  // namespace cboard::server
