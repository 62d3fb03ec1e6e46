#include "tune/trade_off.h"

#include <gmock/gmock.h>

#include "cboard/base/file.h"
#include "quantize/testing/test_models.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::tune {
namespace {

using testing::Succeeds;

// Two matrix products. Noise comes from `known` alone, so that a test chooses what helps.
class TradeOffTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = runtime::FindRuntime(); !found) GTEST_SKIP() << found.error().message;
    testing::OnnxBuilder builder;
    builder.Input("x", {-1, 8})
        .Weight("w1", {8, 8}, quantize::NormalValues(64, 1))
        .Weight("w2", {8, 8}, quantize::NormalValues(64, 2))
        .Node("MatMul", {"x", "w1"}, {"h"}, {}, "first")
        .Node("Relu", {"h"}, {"r"}, {}, "relu")
        .Node("MatMul", {"r", "w2"}, {"y"}, {}, "second")
        .Output("y", {-1, 8});
    ASSERT_THAT(WriteFileAtomically(folder_ / "net.onnx", builder.Bytes()), Succeeds());
    quantize::QuantizeOptions options;
    options.target = quantize::Target::kOrtCpu;
    auto model = quantize::ModelQuantizer::Open(folder_ / "net.onnx", options);
    ASSERT_THAT(model, Succeeds());
    model_ = *std::move(model);
    ASSERT_THAT(model_->Calibrate(), Succeeds());
    plan_ = model_->MakePlan(quantize::RangeMethod::kMinMax);
    sources_ = FindErrorSources(plan_);
    for (const ErrorSource& source : sources_) {
      if (!source.is_weight) all_wide_.wide_tensors.insert(source.key);
    }
  }

  // No source helps alone; the first half together does, all tensors in 16 bits more.
  TradeOff Order(EndMeter& meter) {
    TradeOff::Inputs inputs{
        .sources = sources_, .price = [](const PlanChanges& changes) {
          return static_cast<double>(changes.float_nodes.size() + 2 * changes.wide_tensors.size());
        }};
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      inputs.items.push_back({.sources = {i}, .gain = -0.001});
    }
    inputs.halves.push_back({.sources = {0, 1}, .gain = 0.005});
    TradeOff order(meter, std::move(inputs));
    order.Limit([](const PlanChanges& changes) { return changes.float_nodes.size() < 2; });
    return order;
  }

  testing::TempDir folder_;
  std::unique_ptr<quantize::ModelQuantizer> model_;
  quantize::Plan plan_;
  std::vector<ErrorSource> sources_;
  PlanChanges all_wide_;
};

TEST_F(TradeOffTest, ProposesNeighborsTogetherWhereNoSourceHelpsAlone) {
  ASSERT_GE(sources_.size(), 4u);
  PlanChanges half;
  Fix(sources_[0], Objective::kSize, true, half);
  Fix(sources_[1], Objective::kSize, true, half);
  PlanChanges both = all_wide_;
  both.float_nodes = half.float_nodes;
  EndMeter meter(*model_, plan_,
                 {{"", 0.01}, {half.Key(), 0.005}, {all_wide_.Key(), 0.001}, {both.Key(), 0.002}},
                 nullptr);
  TradeOff order = Order(meter);
  ASSERT_EQ(order.size(), 1u);  // The knapsack changes nothing.
  ASSERT_THAT(order.AddNeighbors([](const PlanChanges&) { return true; }), Succeeds());
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order.changes(1), half);
  EXPECT_EQ(order.changes(2), all_wide_);  // Both together have more noise.
}

TEST_F(TradeOffTest, LeavesOutNeighborsThatTheLimitsForbid) {
  EndMeter meter(*model_, plan_, {{"", 0.01}}, nullptr);
  TradeOff order = Order(meter);
  ASSERT_THAT(order.AddNeighbors([](const PlanChanges&) { return false; }), Succeeds());
  EXPECT_EQ(order.size(), 1u);
  EXPECT_EQ(meter.measured_count(), 1u);
}

}  // namespace
}  // namespace cboard::tune
