#include "cboard/analysis/variant_config.h"

#include <gmock/gmock.h>

#include "analysis/testing/log_builder.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Value = proto::HParamValue;

TEST(FindConfig, TakesRowsThatNameModelAndVariant) {
  LogBuilder log;
  log.HParams(
      "digits",
      {{"model_name", "digits"}, {"variant", "int8"}, {"library", "x"}, {"weight_bits", 8.0}}, {});
  log.HParams("digits/w4a8", {{"model_name", "digits"}, {"variant", "w4a8"}, {"weight_bits", 4.0}},
              {});
  const auto snapshot = log.Read();
  EXPECT_THAT(FindConfig(*snapshot, "digits", "int8"),
              UnorderedElementsAre(Pair("weight_bits", Value(8.0))));
  EXPECT_THAT(FindConfig(*snapshot, "digits", "w4a8"),
              UnorderedElementsAre(Pair("weight_bits", Value(4.0))));
  EXPECT_THAT(FindConfig(*snapshot, "digits", "fp32"), IsEmpty());
  EXPECT_THAT(FindConfig(*snapshot, "alexnet", "int8"), IsEmpty());
}

TEST(FindConfig, TakesTrialsAndRunsBelowModelAndVariant) {
  LogBuilder log;
  log.HParams("eval/tune_1_acc_0.5", {{"scheme", "asym"}}, {});
  log.HParams("runs/resnet18/int8", {{"scheme", "sym"}}, {});
  log.HParams("runs/resnet18/int8_late", {{"scheme", "other"}}, {});
  const auto snapshot = log.Read();
  EXPECT_THAT(FindConfig(*snapshot, "eval", "tune_1"),
              UnorderedElementsAre(Pair("scheme", Value(std::string("asym")))));
  EXPECT_THAT(FindConfig(*snapshot, "resnet18", "int8"),
              UnorderedElementsAre(Pair("scheme", Value(std::string("sym")))));
}

TEST(CompareConfigs, PutsDifferencesFirstAndKeepsTheRest) {
  const Config a{{"bits", Value(32.0)}, {"seed", Value(1.0)}, {"only_a", Value(true)}};
  const Config b{{"bits", Value(8.0)}, {"seed", Value(1.0)}, {"scheme", Value(std::string("sym"))}};
  const auto lines = CompareConfigs(a, b);
  EXPECT_THAT(lines, ElementsAre(ConfigLine{"bits", Value(32.0), Value(8.0)},
                                 ConfigLine{"only_a", Value(true), {}},
                                 ConfigLine{"scheme", {}, Value(std::string("sym"))},
                                 ConfigLine{"seed", Value(1.0), Value(1.0)}));
  EXPECT_TRUE(lines[0].differs());
  EXPECT_FALSE(lines[3].differs());
}

}  // namespace
}  // namespace cboard::analysis
