#include "compare/blame/log_front_end.h"

#include <gmock/gmock.h>

#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using testing::OnnxBuilder;

TEST(LogFrontEnd, ReachesFromTheSignalToTheLogarithm) {
  OnnxBuilder builder;
  builder.Input("signal", {2, 8})
      .Weight("filters", {8, 4}, std::vector<float>(32, 1))
      .Weight("epsilon", {}, {1e-5f})
      .Node("MatMul", {"signal", "filters"}, {"bands"})
      .Node("Mul", {"bands", "bands"}, {"power"})
      .Node("Add", {"power", "epsilon"}, {"sum"})
      .Node("Log", {"sum"}, {"level"}, {}, "log")
      .Node("Relu", {"level"}, {"y"});
  builder.Output("y", {2, 4});
  const model::ModelGraph model = Opened(builder);
  const LogFrontEnd front_end(model);
  for (const char* before : {"signal", "bands", "power", "sum"}) {
    const auto log = front_end.LogBehind(model.FindTensor(before));
    ASSERT_TRUE(log) << before;
    EXPECT_EQ(model.node(*log).name, "log");
  }
  for (const char* other : {"filters", "epsilon", "level", "y"}) {
    EXPECT_FALSE(front_end.LogBehind(model.FindTensor(other))) << other;
  }
}

TEST(LogFrontEnd, StartsBehindAnActivationFunction) {
  OnnxBuilder builder;
  builder.Input("x", {2, 8}).Node("Sigmoid", {"x"}, {"shares"}).Node("Log", {"shares"}, {"y"});
  builder.Output("y", {2, 8});
  const model::ModelGraph model = Opened(builder);
  const LogFrontEnd front_end(model);
  EXPECT_TRUE(front_end.LogBehind(model.FindTensor("shares")));
  EXPECT_FALSE(front_end.LogBehind(model.FindTensor("x")));
}

}  // namespace
}  // namespace cboard::compare
