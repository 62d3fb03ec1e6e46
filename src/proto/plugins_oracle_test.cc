// libprotobuf reads the plugin data that we write, and writes the same bytes.
#include <gmock/gmock.h>

#include "cboard/proto/plugins.h"
#include "proto/testing/protobuf_oracle.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::ParsedByProtobuf;

TEST(PluginsOracle, SmallOnes) {
  EXPECT_EQ(ParsedByProtobuf<cboard_testing::PrCurvePluginData>(EncodePrCurvePluginData(127))
                .num_thresholds(),
            127u);
  const auto audio = ParsedByProtobuf<cboard_testing::AudioPluginData>(
      EncodeAudioPluginData(AudioEncoding::kWav, true));
  EXPECT_EQ(audio.encoding(), 11);
  EXPECT_TRUE(audio.converted_to_tensor());
}

TEST(PluginsOracle, Mesh) {
  const std::vector<std::int64_t> shape = {1, 4000, 3};
  const auto mesh = ParsedByProtobuf<cboard_testing::MeshPluginData>(
      EncodeMeshPluginData({.name = "m\xff",
                            .content_type = MeshContent::kFace,
                            .json_config = "{\"camera\":1}",
                            .shape = shape,
                            .components = 14}));
  EXPECT_EQ(mesh.name(), "m\xEF\xBF\xBD");
  EXPECT_EQ(mesh.content_type(), 2);
  EXPECT_EQ(mesh.json_config(), "{\"camera\":1}");
  EXPECT_THAT(mesh.shape(), ElementsAreArray(shape));
  EXPECT_EQ(mesh.components(), 14u);
}

TEST(PluginsOracle, HParamsExperiment) {
  const HParamsExperiment experiment = {
      .name = "sweep",
      .description = "of rates",
      .user = "ada",
      .time_created_seconds = 1.7e9,
      .hparams = {{.name = "opt",
                   .display_name = "Optimizer",
                   .description = "which",
                   .type = HParamType::kString,
                   .domain_discrete = {std::string(), 0.0, false, std::string("\xff")},
                   .domain_interval = {}},
                  {.name = "dropout",
                   .display_name = {},
                   .description = {},
                   .type = HParamType::kFloat64,
                   .domain_discrete = {},
                   .domain_interval = std::pair(0.0, 0.5)}},
      .metrics = {{.group = "val",
                   .tag = "loss",
                   .display_name = "Loss",
                   .description = "mean",
                   .dataset_type = DatasetType::kTraining},
                  {}}};
  const auto data =
      ParsedByProtobuf<cboard_testing::HParamsPluginData>(EncodeHParamsExperiment(experiment))
          .experiment();
  EXPECT_EQ(data.name(), "sweep");
  EXPECT_EQ(data.description(), "of rates");
  EXPECT_EQ(data.user(), "ada");
  EXPECT_EQ(data.time_created_secs(), 1.7e9);
  ASSERT_EQ(data.hparam_infos_size(), 2);
  EXPECT_EQ(data.hparam_infos(0).name(), "opt");
  EXPECT_EQ(data.hparam_infos(0).display_name(), "Optimizer");
  EXPECT_EQ(data.hparam_infos(0).description(), "which");
  EXPECT_EQ(data.hparam_infos(0).type(), 1);
  const auto& values = data.hparam_infos(0).domain_discrete();
  ASSERT_EQ(values.values_size(), 4);
  EXPECT_TRUE(values.values(0).has_string_value());
  EXPECT_TRUE(values.values(1).has_number_value());
  EXPECT_TRUE(values.values(2).has_bool_value());
  EXPECT_EQ(values.values(3).string_value(), "\xEF\xBF\xBD");
  EXPECT_EQ(data.hparam_infos(1).domain_interval().max_value(), 0.5);
  ASSERT_EQ(data.metric_infos_size(), 2);
  EXPECT_EQ(data.metric_infos(0).name().group(), "val");
  EXPECT_EQ(data.metric_infos(0).name().tag(), "loss");
  EXPECT_EQ(data.metric_infos(0).display_name(), "Loss");
  EXPECT_EQ(data.metric_infos(0).description(), "mean");
  EXPECT_EQ(data.metric_infos(0).dataset_type(), 1);
  EXPECT_TRUE(data.metric_infos(1).has_name());
}

TEST(PluginsOracle, HParamsSessions) {
  HParamsSessionStart session;
  session.hparams = {{"lr", 0.1}, {"", true}, {"opt", std::string("sgd")}};
  session.model_uri = "uri";
  session.monitor_url = "url";
  session.group_name = "g";
  session.start_time_seconds = 5;
  const auto start =
      ParsedByProtobuf<cboard_testing::HParamsPluginData>(EncodeHParamsSessionStart(session))
          .session_start_info();
  ASSERT_EQ(start.hparams_size(), 3);
  EXPECT_EQ(start.hparams().at("lr").number_value(), 0.1);
  EXPECT_TRUE(start.hparams().at("").bool_value());
  EXPECT_EQ(start.hparams().at("opt").string_value(), "sgd");
  EXPECT_EQ(start.model_uri(), "uri");
  EXPECT_EQ(start.monitor_url(), "url");
  EXPECT_EQ(start.group_name(), "g");
  EXPECT_EQ(start.start_time_secs(), 5);

  const auto end = ParsedByProtobuf<cboard_testing::HParamsPluginData>(
                       EncodeHParamsSessionEnd(HParamsStatus::kRunning, 6))
                       .session_end_info();
  EXPECT_EQ(end.status(), 3);
  EXPECT_EQ(end.end_time_secs(), 6);
}

TEST(PluginsOracle, Layout) {
  const std::vector<LayoutCategory> categories = {
      {.title = "loss",
       .charts = {{.title = "lines", .multiline_tags = {"a", "b"}, .margins = {}},
                  {.title = "band", .multiline_tags = {}, .margins = {{"v", "lo", "hi"}}},
                  {.title = {}, .multiline_tags = {}, .margins = {}}},
       .closed = true}};
  const auto layout = ParsedByProtobuf<cboard_testing::Layout>(EncodeLayout(categories));
  ASSERT_EQ(layout.category_size(), 1);
  EXPECT_EQ(layout.category(0).title(), "loss");
  EXPECT_TRUE(layout.category(0).closed());
  ASSERT_EQ(layout.category(0).chart_size(), 3);
  EXPECT_EQ(layout.category(0).chart(0).title(), "lines");
  EXPECT_THAT(layout.category(0).chart(0).multiline().tag(), ElementsAre("a", "b"));
  EXPECT_EQ(layout.category(0).chart(1).margin().series(0).value(), "v");
  EXPECT_EQ(layout.category(0).chart(1).margin().series(0).lower(), "lo");
  EXPECT_EQ(layout.category(0).chart(1).margin().series(0).upper(), "hi");
  EXPECT_TRUE(layout.category(0).chart(2).has_multiline());
}

}  // namespace
}  // namespace cboard::proto
