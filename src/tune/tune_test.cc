#include "cboard/tune/tune.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "cboard/base/file.h"
#include "quantize/testing/test_models.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::tune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Succeeds;

// Two sensors of very different size feed the first convolution: 8 bits keep the large one only,
// and the weights of the small one are so large that 8 bits lose the others.
constexpr float kSensorRatio = 3000;

testing::OnnxBuilder TwoSensors() {
  using testing::OnnxBuilder;
  OnnxBuilder builder;
  const auto pads = OnnxBuilder::IntsAttribute("pads", {1, 1, 1, 1});
  std::vector<float> first = quantize::NormalValues(8 * 2 * 9, 1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i / 9 % 2 == 1) first[i] *= kSensorRatio;
  }
  builder.Input("x", {-1, 2, 8, 8})
      .Weight("w1", {8, 2, 3, 3}, first)
      .Weight("w2", {32, 8, 3, 3}, quantize::NormalValues(32 * 72, 2))
      .Weight("w3", {32, 32, 3, 3}, quantize::NormalValues(32 * 288, 3, 0.1f))
      .Weight("w4", {5, 32}, quantize::NormalValues(160, 4))
      .Weight("b4", {5}, quantize::NormalValues(5, 5))
      .Node("Conv", {"x", "w1"}, {"c1"}, pads, "conv1")
      .Node("Relu", {"c1"}, {"r1"}, {}, "relu1")
      .Node("Conv", {"r1", "w2"}, {"c2"}, pads, "conv2")
      .Node("Relu", {"c2"}, {"r2"}, {}, "relu2")
      .Node("Conv", {"r2", "w3"}, {"c3"}, pads, "conv3")
      .Node("Relu", {"c3"}, {"r3"}, {}, "relu3")
      .Node("GlobalAveragePool", {"r3"}, {"g"}, {}, "average")
      .Node("Flatten", {"g"}, {"f"}, {}, "flatten")
      .Node("Gemm", {"f", "w4", "b4"}, {"logits"}, OnnxBuilder::IntAttribute("transB", 1), "head")
      .Output("logits", {-1, 5});
  return builder;
}

std::string SensorData(std::size_t count) {
  std::vector<float> values = quantize::NormalValues(count * 128, 7, 1.0f);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i / 64 % 2 == 1) values[i] /= kSensorRatio;
  }
  return testing::Npy<float>("<f4", "(" + std::to_string(count) + ", 2, 8, 8)", values);
}

class TuneTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = runtime::FindRuntime(); !found) GTEST_SKIP() << found.error().message;
    ASSERT_THAT(WriteFileAtomically(folder_ / "net.onnx", TwoSensors().Bytes()), Succeeds());
    ASSERT_THAT(WriteFileAtomically(folder_ / "x.npy", SensorData(64)), Succeeds());
    options_.model = folder_ / "net.onnx";
    options_.output = folder_ / "int8.onnx";
    options_.quantize.data = folder_ / "x.npy";
    options_.quantize.target = quantize::Target::kOrtCpu;
    options_.evaluation.run.data = folder_ / "x.npy";
  }

  bool HasOutput() const { return std::filesystem::exists(options_.output); }

  // An evaluation that gives the float model 0.9 and others `of_trial(number)`.
  void EvaluateBy(std::function<Result<TrialResult>(int)> of_trial) {
    calls_ = 0;
    options_.evaluation.function =
        [this, of_trial](const std::filesystem::path& model) -> Result<TrialResult> {
      if (model == options_.model) return TrialResult{.accuracy = 0.9};
      return of_trial(++calls_);
    };
  }

  testing::TempDir folder_;
  TuneOptions options_;
  int calls_ = 0;
};

TEST_F(TuneTest, KeepsTheConvolutionThatBreaksInFloat) {
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  ASSERT_TRUE(report->is_met) << report->reason;
  ASSERT_TRUE(report->best.has_value());
  const TrialReport& best = report->trials[*report->best];
  EXPECT_FALSE(report->trials[0].is_met);
  EXPECT_THAT(best.float_nodes, Contains("conv1"));
  EXPECT_THAT(best.float_nodes, Not(Contains("conv3")));  // Most of the bytes stay 8 bits.
  EXPECT_LE(report->evaluations, 5u);
  EXPECT_EQ(*ReadFile(options_.output), *ReadFile(best.model));
  ASSERT_FALSE(report->reverted.empty());
  EXPECT_GT(report->reverted[0].gain_db, 3);
}

TEST_F(TuneTest, StopsAfterTheFirstTrialThatMeetsTheGoal) {
  EvaluateBy([](int) { return TrialResult{.accuracy = 0.899}; });
  options_.stops_at_goal = true;
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_TRUE(report->is_met);
  EXPECT_EQ(report->evaluations, 1u);
  EXPECT_THAT(report->reverted, IsEmpty());
}

TEST_F(TuneTest, EndsWithTheBestModelWhenTheGoalCannotBeMet) {
  EvaluateBy([](int number) { return TrialResult{.accuracy = number == 2 ? 0.6 : 0.5}; });
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(report->is_met);
  ASSERT_TRUE(report->best.has_value());
  EXPECT_EQ(report->trials[*report->best].number, 2);
  EXPECT_THAT(report->reason, HasSubstr("0.6"));
  EXPECT_THAT(report->next_step, Not(IsEmpty()));
  EXPECT_LE(report->evaluations, 5u);
  EXPECT_EQ(*ReadFile(options_.output), *ReadFile(report->trials[1].model));
}

TEST_F(TuneTest, NeverTakesAFailureForAnAccuracy) {
  EvaluateBy([](int number) -> Result<TrialResult> {
    if (number % 3 == 2) return Fail(ErrorCode::kUnavailable, "exit code 139");
    return TrialResult{.accuracy = number < 3 ? 0.1 : 0.9};
  });
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_TRUE(report->is_met);
  EXPECT_EQ(report->trials[1].result.failure, "exit code 139");
  EXPECT_FALSE(report->trials[1].result.accuracy.has_value());
}

TEST_F(TuneTest, TreatsNanAsAFailedTrial) {
  EvaluateBy([](int) { return TrialResult{.accuracy = std::numeric_limits<double>::quiet_NaN()}; });
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(report->is_met);
  EXPECT_FALSE(report->best.has_value());
  EXPECT_FALSE(report->is_output_measured);
  EXPECT_THAT(report->reason, HasSubstr("nan"));
  EXPECT_TRUE(HasOutput());
}

TEST_F(TuneTest, GivesAnUnmeasuredModelWhenTheFloatModelCannotBeEvaluated) {
  options_.evaluation.function = [](const auto&) -> Result<TrialResult> {
    return Fail(ErrorCode::kUnavailable, "no module named torch");
  };
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(report->is_met);
  EXPECT_FALSE(report->is_output_measured);
  EXPECT_THAT(report->reason, HasSubstr("no module named torch"));
  EXPECT_TRUE(HasOutput());
}

TEST_F(TuneTest, GoesOnWhereItWasStopped) {
  ASSERT_THAT(TuneModel(options_), Succeeds());
  const std::string expected = *ReadFile(options_.output);
  std::filesystem::remove_all(StatePath(options_));
  std::filesystem::remove(options_.output);
  for (int stop = 2; stop < 30; stop += 3) {
    int step = 0;
    options_.progress = [&](std::string_view) { return ++step < stop; };
    options_.is_resumed = stop > 2;
    ASSERT_THAT(TuneModel(options_), Succeeds()) << stop;
  }
  options_.progress = nullptr;
  options_.is_resumed = true;
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_TRUE(report->is_met);
  EXPECT_EQ(*ReadFile(options_.output), expected);
}

TEST_F(TuneTest, DoesNotEvaluateAgainAfterItHasFinished) {
  EvaluateBy([](int) { return TrialResult{.accuracy = 0.5}; });
  ASSERT_THAT(TuneModel(options_), Succeeds());
  calls_ = 0;
  options_.is_resumed = true;
  ASSERT_THAT(TuneModel(options_), Succeeds());
  EXPECT_EQ(calls_, 0);
}

TEST_F(TuneTest, SaysThatNoModelWasWrittenWhenItIsStoppedBeforeTheFirstTrial) {
  int step = 0;
  options_.progress = [&](std::string_view) { return ++step < 3; };
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(HasOutput());
  EXPECT_FALSE(report->is_output_written);
  EXPECT_THAT(report->reason, HasSubstr("no model was written"));
  EXPECT_THAT(report->reason, Not(HasSubstr("failed")));
  EXPECT_THAT(report->reason, HasSubstr("--resume"));
}

TEST_F(TuneTest, SaysThatNothingIsQuantized) {
  testing::OnnxBuilder builder;
  builder.Input("x", {-1, 2, 8, 8}).Node("Relu", {"x"}, {"y"}).Output("y", {-1, 2, 8, 8});
  ASSERT_THAT(WriteFileAtomically(options_.model, builder.Bytes()), Succeeds());
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->notes, Contains(HasSubstr("nothing is quantized")));
  ASSERT_EQ(report->trials.size(), 1u);
  EXPECT_EQ(report->trials[0].note, "nothing is quantized");
  EXPECT_TRUE(report->is_output_written);
}

TEST_F(TuneTest, LogsTheBaselineAndEveryTrial) {
  options_.logdir = folder_ / "runs" / "eval";
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_TRUE(std::filesystem::exists(options_.logdir / "baseline_acc_1.0"));
  for (const TrialReport& trial : report->trials) {
    EXPECT_THAT(trial.log.filename().string(),
                HasSubstr("tune_" + std::to_string(trial.number) + "_acc_"));
    EXPECT_TRUE(std::filesystem::exists(trial.log));
  }
}

TEST_F(TuneTest, RespectsTheLargestSize) {
  EvaluateBy([](int) { return TrialResult{.accuracy = 0.5}; });
  options_.goals.max_size_bytes = 100;
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(report->is_met);
  EXPECT_EQ(report->evaluations, 1u);
  EXPECT_THAT(report->next_step, HasSubstr("--max-size"));
}

TEST_F(TuneTest, DrawsTheTradeOffCurveWithTheOtherEvaluations) {
  EvaluateBy([](int number) { return TrialResult{.accuracy = 0.893 + 0.001 * number}; });
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_TRUE(report->is_met);
  EXPECT_GT(report->evaluations, 1u);
  EXPECT_LE(report->evaluations, 5u);
  for (std::size_t i = 1; i < report->trials.size(); ++i) {
    EXPECT_GT(report->trials[i].end_sqnr_db, report->trials[0].end_sqnr_db);
  }
}

TEST_F(TuneTest, EndsWhenTheFileStopAppears) {
  EvaluateBy([this](int number) {
    if (number == 2) {
      EXPECT_THAT(WriteFileAtomically(StatePath(options_) / "stop", ""), Succeeds());
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
    return TrialResult{.accuracy = 0.5};
  });
  options_.logdir = folder_ / "runs" / "eval";
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(calls_, 2);
  EXPECT_THAT(report->reason, HasSubstr("--resume"));
  EXPECT_TRUE(HasOutput());
  EXPECT_FALSE(std::filesystem::exists(StatePath(options_) / "stop"));
  EXPECT_FALSE(std::filesystem::exists(options_.logdir / "tune_2"));
  EvaluateBy([](int) { return TrialResult{.accuracy = 0.9}; });
  options_.is_resumed = true;
  const auto resumed = TuneModel(options_);
  ASSERT_THAT(resumed, Succeeds());
  EXPECT_TRUE(resumed->is_met);
}

TEST_F(TuneTest, WritesAContractWithTheLimit) {
  EvaluateBy([](int) { return TrialResult{.accuracy = 0.9}; });
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->contract, HasSubstr("metric: accuracy\n    min: 0.891"));
  EXPECT_EQ(*ReadFile(StatePath(options_) / "contract.yaml"), report->contract);
}

TEST_F(TuneTest, NamesTheMissingCountersOfTheObjectiveEnergy) {
  EvaluateBy([](int) { return TrialResult{.accuracy = 0.9}; });
  options_.objective = Objective::kEnergy;
  options_.evaluation.sys = folder_ / "sys";
  const auto report = TuneModel(options_);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("--objective latency"));
  EXPECT_FALSE(std::filesystem::exists(StatePath(options_)));  // Another attempt can start.
}

// Three matrix products; most of the bytes are in the second one.
testing::OnnxBuilder Perceptron() {
  testing::OnnxBuilder builder;
  builder.Input("x", {-1, 64})
      .Weight("w1", {64, 256}, quantize::NormalValues(64 * 256, 1, 0.12f))
      .Weight("w2", {256, 256}, quantize::NormalValues(256 * 256, 2, 0.06f))
      .Weight("w3", {256, 10}, quantize::NormalValues(256 * 10, 3, 0.06f))
      .Node("MatMul", {"x", "w1"}, {"h1"}, {}, "first")
      .Node("Relu", {"h1"}, {"r1"}, {}, "relu1")
      .Node("MatMul", {"r1", "w2"}, {"h2"}, {}, "second")
      .Node("Relu", {"h2"}, {"r2"}, {}, "relu2")
      .Node("MatMul", {"r2", "w3"}, {"logits"}, {}, "third")
      .Output("logits", {-1, 10});
  return builder;
}

// A head that gives almost always the same class: equal classes say nothing.
TEST_F(TuneTest, AgreementSeesErrorsThatChangeNoClass) {
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  for (const TrialReport& trial : report->trials) {
    if (trial.end_sqnr_db < 12) {
      EXPECT_FALSE(trial.is_met) << trial.end_sqnr_db;
    }
  }
}

TEST_F(TuneTest, StoresWeightsInFourBitsWhereTheSizeNeedsIt) {
  ASSERT_THAT(WriteFileAtomically(folder_ / "net.onnx", Perceptron().Bytes()), Succeeds());
  const std::vector<float> values = quantize::NormalValues(64 * 64, 7, 1.0f);
  const std::string data = testing::Npy<float>("<f4", "(64, 64)", values);
  ASSERT_THAT(WriteFileAtomically(folder_ / "x.npy", data), Succeeds());
  EvaluateBy([](int) { return TrialResult{.accuracy = 0.9}; });
  const auto eight_bits = TuneModel(options_);
  ASSERT_THAT(eight_bits, Succeeds());
  const std::uint64_t bytes = eight_bits->trials[0].result.size_bytes;
  options_.goals.max_size_bytes = bytes * 8 / 10;
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  ASSERT_TRUE(report->is_met) << report->reason;
  const TrialReport& best = report->trials[*report->best];
  EXPECT_LE(best.result.size_bytes, *options_.goals.max_size_bytes);
  EXPECT_THAT(best.narrow_nodes, Contains("second"));
  EXPECT_GT(report->trials[0].end_sqnr_db, 10);  // ONNX Runtime runs it.
  // The 4 bits cost accuracy: only as many weights have them as the size asks for.
  EXPECT_THAT(report->trials[0].narrow_nodes, Not(Contains("third")));
}

TEST_F(TuneTest, SaysWhichSizeWouldMeetTheAccuracy) {
  ASSERT_THAT(WriteFileAtomically(folder_ / "net.onnx", Perceptron().Bytes()), Succeeds());
  const std::vector<float> values = quantize::NormalValues(64 * 64, 7, 1.0f);
  const std::string data = testing::Npy<float>("<f4", "(64, 64)", values);
  ASSERT_THAT(WriteFileAtomically(folder_ / "x.npy", data), Succeeds());
  EvaluateBy([](int number) { return TrialResult{.accuracy = number == 1 ? 0.5 : 0.9}; });
  options_.goals.max_size_bytes = 70'000;
  const auto report = TuneModel(options_);
  ASSERT_THAT(report, Succeeds());
  EXPECT_FALSE(report->is_met);
  EXPECT_THAT(report->reason, HasSubstr("8-bit weights meet the accuracy"));
}

}  // namespace
}  // namespace cboard::tune
