#include "writer/summary/hparams.h"

#include <limits>

#include "testing/matchers.h"
#include "writer/testing/golden.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;

TEST(HParamsSummaries, HaveTheBytesOfTensorboardX) {
  const auto summaries =
      MakeHParamsSummaries({{"lr", 0.1}, {"bs", 32.0}, {"amp", true}, {"opt", std::string("adam")}},
                           {{"hparam/acc", 1.0}})
          .value();
  EXPECT_EQ(
      summaries.experiment,
      FromHex("0a59 0a14 5f68706172616d735f2f6578706572696d656e74 4a41 0a3f 0a0768706172616d73"
              "1234 1232 2206 0a026c72 2003 2206 0a026273 2003 2207 0a03616d70 2002"
              "2207 0a036f7074 2001 2a0e 0a0c 120a 68706172616d2f616363"));
  EXPECT_EQ(summaries.session_end,
            FromHex("0a2f 0a1a 5f68706172616d735f2f73657373696f6e5f656e645f696e666f 4a11 0a0f"
                    "0a0768706172616d73 1204 2202 0801"));
}

// Returns the plugin content of a summary's only value.
std::string PluginContent(const std::string& summary) {
  const auto values = ValuesOf(summary);
  return std::string(proto::ParseSummaryMetadata(values.at(0).metadata).value().plugin_content);
}

// Protobuf does not define the order of a map, so each value is compared byte by byte on its own.
TEST(HParamsSummaries, StoreEveryKindOfValue) {
  const auto start = [](const std::string& name, const HParam& value) {
    return PluginContent(MakeHParamsSummaries({{name, value}}, {}).value().session_start);
  };
  EXPECT_EQ(start("lr", 0.1), FromHex("1a11 0a0f 0a026c72 1209 119a9999999999b93f"));
  EXPECT_EQ(start("bool_var", true), FromHex("1a10 0a0e 0a08626f6f6c5f766172 1202 2001"));
  EXPECT_EQ(start("opt", std::string("adam")), FromHex("1a0f 0a0d 0a036f7074 1206 1a046164616d"));
  // False and zero are values; they must be written.
  EXPECT_EQ(start("b", false), FromHex("1a09 0a07 0a0162 1202 2000"));
}

TEST(HParamsSummaries, RefuseNumbersThatWouldBreakThePage) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(MakeHParamsSummaries({{"lr", value}}, {}),
                FailsSaying(ErrorCode::kInvalidArgument, "hyperparameter 'lr' is "));
  }
}

TEST(HParamsSummaries, RefuseNamesThatAreEmptyOrTwice) {
  EXPECT_THAT(MakeHParamsSummaries({{"", 1.0}}, {}),
              FailsSaying(ErrorCode::kInvalidArgument, "empty name"));
  EXPECT_THAT(MakeHParamsSummaries({{"a", 1.0}, {"a", true}}, {}),
              FailsSaying(ErrorCode::kInvalidArgument, "hyperparameter 'a' is given twice"));
  EXPECT_THAT(MakeHParamsSummaries({}, {{"m", 1.0}, {"m", 2.0}}),
              FailsSaying(ErrorCode::kInvalidArgument, "metric 'm' is given twice"));
}

}  // namespace
}  // namespace cboard::writer::summary
