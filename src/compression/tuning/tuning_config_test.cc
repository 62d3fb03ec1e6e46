#include "cboard/compression/tuning_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::Succeeds;

TuningConfig Parsed(std::string_view yaml) {
  const Result<TuningConfig> config = ParseTuningConfig(yaml);
  EXPECT_THAT(config, Succeeds());
  return config.value_or(TuningConfig{});
}

TEST(TuningConfig, TensorboardIsOffUnlessSaidSo) {
  EXPECT_FALSE(Parsed("").tensorboard);
  EXPECT_FALSE(Parsed("model: {name: resnet18}").tensorboard);
  EXPECT_FALSE(Parsed("tuning: {tensorboard: false}").tensorboard);
  EXPECT_TRUE(Parsed("tuning: {tensorboard: true}").tensorboard);
  EXPECT_TRUE(Parsed("tuning:\n  tensorboard: True\n").tensorboard);
  EXPECT_TRUE(Parsed("tensorboard: true").tensorboard);
}

// The lines that the tuning guide adds for Inception v3.
TEST(TuningConfig, SettingsHaveTheirPathInTheFile) {
  const TuningConfig config = Parsed(R"(
model: {name: inception_v3, framework: tensorflow}
quantization:
  calibration: {sampling_size: [5, 10]}
  op_wise: {
             'v0/cg/conv0/conv2d/Conv2D': {
               'activation':  {'dtype': ['fp32']},
             }
           }
tuning:
  tensorboard: true
  accuracy_criterion: {relative: 0.01}
  exit_policy: {timeout: 0, performance_only: false}
  strategy: {name: "basic"}
)");
  EXPECT_TRUE(config.tensorboard);
  EXPECT_THAT(config.settings,
              ElementsAre(Pair("quantization.calibration.sampling_size", writer::HParam("[5, 10]")),
                          Pair("quantization.op_wise.v0/cg/conv0/conv2d/Conv2D.activation.dtype",
                               writer::HParam("[fp32]")),
                          Pair("tuning.accuracy_criterion.relative", writer::HParam(0.01)),
                          Pair("tuning.exit_policy.timeout", writer::HParam(0.0)),
                          Pair("tuning.exit_policy.performance_only", writer::HParam(false)),
                          Pair("tuning.strategy.name", writer::HParam("basic"))));
}

TEST(TuningConfig, QuotedNumbersAreTexts) {
  EXPECT_THAT(
      Parsed("tuning: {a: '8', b: 8, c: .nan, d: 1e999}").settings,
      ElementsAre(Pair("tuning.a", writer::HParam("8")), Pair("tuning.b", writer::HParam(8.0)),
                  Pair("tuning.c", writer::HParam(".nan")),
                  Pair("tuning.d", writer::HParam("1e999"))));
}

TEST(TuningConfig, OfASettingGivenTwiceOneIsLeft) {
  EXPECT_THAT(Parsed("tuning: {a: {b: 1}, a.b: 2}").settings,
              ElementsAre(Pair("tuning.a.b", writer::HParam(2.0))));
}

TEST(TuningConfig, ErrorsNameThePlace) {
  EXPECT_THAT(ParseTuningConfig("tuning:\n  tensorboard: maybe\n"),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "line 2, column 16: the setting tensorboard is 'maybe'"));
  EXPECT_THAT(ParseTuningConfig("tuning: {a: [1, 2}\n"),
              FailsSaying(ErrorCode::kInvalidArgument, "line 1"));
  EXPECT_THAT(ParseTuningConfig("- a\n- b\n"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ParseTuningConfig("just words"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ReadTuningConfig("/nonexistent/tuning.yaml"), FailsWith(ErrorCode::kNotFound));
}

TEST(TuningConfig, ReadsAFileAndNamesItInErrors) {
  const testing::TempDir dir;
  std::ofstream(dir / "bad.yaml") << "tuning: {";
  EXPECT_THAT(ReadTuningConfig(dir / "bad.yaml"),
              FailsSaying(ErrorCode::kInvalidArgument, "bad.yaml"));
  std::ofstream(dir / "good.yaml") << "tuning: {tensorboard: true}";
  const auto config = ReadTuningConfig(dir / "good.yaml");
  ASSERT_THAT(config, Succeeds());
  EXPECT_TRUE(config->tensorboard);
  EXPECT_THAT(config->settings, IsEmpty());
}

TEST(TuningConfig, StaysSmallWhateverTheFileSays) {
  // Ten lists, each with ten aliases of the previous list: expanded, they have 10^9 entries.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_THAT(ParseTuningConfig(bomb + "tuning: {x: *a8}"),
              FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(ParseTuningConfig("tuning: &t {x: *t}"), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_FALSE(ParseTuningConfig("tuning: " + std::string(100'000, '[')));
  EXPECT_THAT(ParseTuningConfig(std::string((1 << 20) + 1, ' ')),
              FailsWith(ErrorCode::kResourceExhausted));
}

}  // namespace
}  // namespace cboard::compression
