#include "cboard/analysis/class_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Names(const std::vector<ClassScore>& scores) {
  std::vector<std::string> names;
  for (const ClassScore& score : scores) names.push_back(score.metric + " " + score.name);
  return names;
}

TEST(ClassScores, TheClassThatLostMostIsFirstAndHalfKnownOnesAreLast) {
  LogBuilder log;
  log.Scalar("run", "net/per_class/accuracy/cat/fp32", 0.9)
      .Scalar("run", "net/per_class/accuracy/cat/int8", 0.8)
      .Scalar("run", "net/per_class/accuracy/dog/fp32", 0.9)
      .Scalar("run", "net/per_class/accuracy/dog/int8", 0.5)
      .Scalar("run", "net/per_class/accuracy/owl/fp32", 0.7)
      .Scalar("run", "net/per_class/accuracy/dog/w4", 0.1)
      .Scalar("run", "other/per_class/accuracy/cat/int8", 0);
  const auto scores = FindClassScores(*log.Read(), "net", "fp32", "int8");
  EXPECT_THAT(Names(scores), ElementsAre("accuracy dog", "accuracy cat", "accuracy owl"));
  EXPECT_NEAR(scores[0].Drop().value(), 0.4, 1e-6);
  EXPECT_EQ(scores[2].b, std::nullopt);
}

TEST(ClassScores, AClassMayHaveSlashesAndLowerMayBeBetter) {
  LogBuilder log;
  log.Scalar("run", "org/net/per_class/error/fruit/apple/fp32", 0.1)
      .Scalar("run", "org/net/per_class/error/fruit/apple/int8", 0.3);
  const auto scores = FindClassScores(*log.Read(), "org/net", "fp32", "int8");
  ASSERT_THAT(Names(scores), ElementsAre("error fruit/apple"));
  EXPECT_NEAR(scores[0].Drop().value(), 0.2, 1e-6);
}

TEST(ClassScores, OtherTagsAreNone) {
  LogBuilder log;
  log.Scalar("run", "net/per_class/accuracy/int8", 1)
      .Scalar("run", "net/per_class/accuracy//int8", 1)
      .Scalar("run", "net/metrics/accuracy/int8", 1);
  EXPECT_THAT(FindClassScores(*log.Read(), "net", "fp32", "int8"), IsEmpty());
}

}  // namespace
}  // namespace cboard::analysis
