#include "cboard/compression/tuning_logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "cboard/proto/plugins.h"
#include "compression/testing/graph_def_builder.h"
#include "compression/testing/read_back.h"
#include "testing/child_process.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Succeeds;
using ::testing::UnorderedElementsAre;

const std::vector<float> kValues = {-1, 0.5, 2};
const std::vector<std::int8_t> kCodes = {-2, 1, 4};
const float kHalf = 0.5f;

TensorView Quantized() {
  TensorView view(kCodes);
  view.quantization = Quantization::PerTensor(std::span(&kHalf, 1));
  return view;
}

class TuningLogs : public ::testing::Test {
 protected:
  TuningOptions Options() const { return {.directory = Eval()}; }
  fs::path Eval() const { return dir_ / "runs" / "eval"; }

  static std::vector<std::string> Names(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }
  std::vector<std::string> Trials() const { return Names(Eval()); }

  static std::vector<std::string> TagsIn(const fs::path& trial) {
    return testing::RunsAndTags(testing::ReadBack(trial));
  }

  testing::TempDir dir_;
};

TEST_F(TuningLogs, ABaselineThenTrialsEachRenamedWhenItsAccuracyIsKnown) {
  TuningLogger logger(Options());
  EXPECT_FALSE(fs::exists(Eval()));
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline"));
  ASSERT_THAT(logger.FinishTrial(0.776), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_0.776"));
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_0.776", "tune_1"));
  const auto report = logger.FinishTrial(0.095);
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->directory, Eval() / "tune_1_acc_0.095");
  EXPECT_EQ(report->number, 1);
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_0.776", "tune_1_acc_0.095"));
}

TEST_F(TuningLogs, TagsAreThoseOfTheTuningTools) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddParameter("conv1", "weight", kValues), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", kValues), Succeeds());
  ASSERT_THAT(logger.AddOutput("fc", kValues), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", kValues), Succeeds());  // The next batch.
  ASSERT_THAT(logger.FinishTrial(0.776), Succeeds());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddParameter("fc._packed_params", "weight", Quantized()), Succeeds());
  ASSERT_THAT(logger.AddParameter("fc", "scale", {0.1f}), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", Quantized()), Succeeds());
  ASSERT_THAT(logger.AddOutput("pool", kValues, "int8"), Succeeds());
  const auto report = logger.FinishTrial(0.095);
  ASSERT_THAT(report, Succeeds());

  EXPECT_THAT(TagsIn(Eval() / "baseline_acc_0.776"),
              ElementsAre("conv1/weight/fp32", "conv1/Output/fp32", "fc/Output/fp32", "accuracy"));
  EXPECT_THAT(TagsIn(Eval() / "tune_1_acc_0.095"),
              ElementsAre("fc/weight/int8", "fc/scale/fp32", "conv1/Output/int8",
                          "pool/Output/int8", "accuracy"));
  EXPECT_THAT(report->tags, ElementsAre("fc/weight/int8", "fc/scale/fp32", "conv1/Output/int8",
                                        "pool/Output/int8", "accuracy"));
  EXPECT_THAT(report->omitted, IsEmpty());
}

TEST_F(TuningLogs, PyTorchNamingHasNoSecondUnderscore) {
  TuningOptions options = Options();
  options.naming = TrialNaming::kPyTorch;
  TuningLogger logger(options);
  for (const double accuracy : {0.8, 0.79}) {
    ASSERT_THAT(logger.StartTrial(), Succeeds());
    ASSERT_THAT(logger.FinishTrial(accuracy), Succeeds());
  }
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc0.8", "tune_1_acc0.79"));
}

TEST_F(TuningLogs, OfAFusedModuleTheLastOutputIsLoggedUnderItsName) {
  TuningLogger logger(Options());
  FusedOps fused;
  fused.Add("conv1", {"conv1.0", "conv1.1"});
  ASSERT_THAT(logger.StartTrial({}, fused), Succeeds());
  ASSERT_THAT(logger.AddParameter("conv1.0", "weight", kValues), Succeeds());
  ASSERT_THAT(logger.AddParameter("conv1.1", "weight", kValues), Succeeds());  // A BatchNorm's.
  ASSERT_THAT(logger.AddOutput("conv1.0", kValues), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1.1", {7.f}), Succeeds());
  ASSERT_THAT(logger.FinishTrial(1), Succeeds());
  EXPECT_THAT(
      TagsIn(Eval() / "baseline_acc_1.0"),
      ElementsAre("conv1/weight/fp32", "conv1.1/weight/fp32", "conv1/Output/fp32", "accuracy"));
}

TEST_F(TuningLogs, SettingsAreARowOfHParamsFromTheStartOn) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial({{"scheme", "symmetric"}, {"bits", 8.0}, {"qat", false}}),
              Succeeds());
  const auto running = testing::ReadBack(Eval() / "baseline");
  ASSERT_EQ(running.size(), 1u);
  EXPECT_EQ(running[0].tag, "_hparams_/session_start_info");
  const auto data = proto::ParseHParamsPluginData(running[0].plugin_content);
  ASSERT_THAT(data, Succeeds());
  const auto* start = std::get_if<proto::HParamsSessionStart>(&*data);
  ASSERT_NE(start, nullptr);
  EXPECT_THAT(start->hparams, Contains(std::pair("bits", proto::HParamValue(8.0))));
  ASSERT_THAT(logger.FinishTrial(0.5), Succeeds());
  EXPECT_THAT(
      TagsIn(Eval() / "baseline_acc_0.5"),
      ElementsAre("_hparams_/session_start_info", "accuracy", "_hparams_/session_end_info"));
}

TEST_F(TuningLogs, SettingsThatTensorBoardCannotShowStartNothing) {
  TuningLogger logger(Options());
  EXPECT_THAT(logger.StartTrial({{"lr", std::nan("")}}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(logger.StartTrial({{"a", 1.0}, {"a", 2.0}}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_FALSE(logger.in_trial());
  EXPECT_FALSE(fs::exists(Eval()));
}

TEST_F(TuningLogs, SeveralMetricsAreAllLogged) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.FinishTrial(std::vector<double>{0.776, 0.91}), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_[0.776, 0.91]"));
  EXPECT_THAT(TagsIn(Eval() / "baseline_acc_[0.776, 0.91]"), ElementsAre("accuracy", "accuracy_2"));
}

TEST_F(TuningLogs, WithoutAnAccuracyATrialKeepsItsFirstNameAndAllItsData) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", kValues), Succeeds());
  ASSERT_THAT(logger.FinishTrial(std::span<const double>()), Succeeds());
  EXPECT_THAT(TagsIn(Eval() / "baseline"), ElementsAre("conv1/Output/fp32"));
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline", "tune_1"));
}

TEST_F(TuningLogs, AFailedTrialSaysWhyAndGivesItsNumberBack) {
  TuningLogger logger(Options());
  for (const char* expected : {"baseline_failed", "baseline_failed_2"}) {
    ASSERT_THAT(logger.StartTrial(), Succeeds());
    ASSERT_THAT(logger.AddOutput("conv1", kValues), Succeeds());
    const auto directory = logger.AbandonTrial("RuntimeError: out of memory");
    ASSERT_THAT(directory, Succeeds());
    EXPECT_EQ(*directory, Eval() / expected);
  }
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.FinishTrial(0.5), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_0.5", "baseline_failed", "baseline_failed_2"));
  const auto failed = testing::ReadBack(Eval() / "baseline_failed");
  EXPECT_EQ(testing::Find(failed, "tuning/failure/text_summary").text,
            "RuntimeError: out of memory");
  EXPECT_THAT(testing::RunsAndTags(failed), Contains("conv1/Output/fp32"));  // The existing values.
}

TEST_F(TuningLogs, ALoggerThatIsForgottenAbandonsItsTrial) {
  {
    TuningLogger logger(Options());
    ASSERT_THAT(logger.StartTrial(), Succeeds());
  }
  EXPECT_THAT(Trials(), ElementsAre("baseline_failed"));
}

TEST_F(TuningLogs, AForkedChildLeavesTheTrialToItsParent) {
  auto logger = std::make_unique<TuningLogger>(Options());
  ASSERT_THAT(logger->StartTrial(), Succeeds());
  EXPECT_TRUE(testing::HoldsInChild([&] {
    logger.reset();  // As at the end of a program.
    TuningLogger second(Options());
    return !second.StartTrial().has_value();  // The folder is still locked.
  }));
  EXPECT_THAT(Trials(), ElementsAre("baseline"));
  ASSERT_THAT(logger->FinishTrial(0.5), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_0.5"));
}

TEST_F(TuningLogs, ChildrenThatLiveOnDoNotKeepTheFolder) {
  auto first = std::make_unique<TuningLogger>(Options());
  ASSERT_THAT(first->StartTrial(), Succeeds());
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  first.reset();
  TuningLogger second(Options());
  EXPECT_THAT(second.StartTrial(), Succeeds());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(TuningLogs, NanActivationsLeaveTheFiniteOnesToSee) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", {1.f, std::nanf(""), 2.f}), Succeeds());
  ASSERT_THAT(logger.AddOutput("fc", {std::nanf(""), std::nanf("")}), Succeeds());
  const auto report = logger.FinishTrial(std::nan(""));
  ASSERT_THAT(report, Succeeds());
  EXPECT_EQ(report->directory.filename(), "baseline_acc_nan");
  EXPECT_THAT(report->tags, ElementsAre("conv1/Output/fp32", "conv1/Output/fp32/not_finite",
                                        "fc/Output/fp32/not_finite", "accuracy"));
  ASSERT_EQ(report->omitted.size(), 2u);
  EXPECT_EQ(report->omitted[0].what, "conv1/Output/fp32");
  EXPECT_THAT(report->omitted[0].reason, HasSubstr("1 NaN and 0 infinite of 3 values"));
  const auto logged = testing::ReadBack(report->directory);
  EXPECT_EQ(testing::Find(logged, "fc/Output/fp32/not_finite").value, 2);
}

TEST_F(TuningLogs, EmptyAndRepeatedTensorsAreMentioned) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddParameter("bn", "none", std::vector<float>{}), Succeeds());
  ASSERT_THAT(logger.AddParameter("bn", "weight", kValues), Succeeds());
  ASSERT_THAT(logger.AddParameter("bn", "weight", kValues), Succeeds());
  const auto report = logger.FinishTrial(0.5);
  ASSERT_THAT(report, Succeeds());
  EXPECT_THAT(report->omitted, ElementsAre(Omission{"bn/none/fp32", "the tensor is empty"},
                                           Omission{"bn/weight/fp32", "it was logged already"}));
}

TEST_F(TuningLogs, CallsOutOfTurnSayWhatToCall) {
  TuningLogger logger(Options());
  EXPECT_THAT(logger.AddOutput("conv1", kValues),
              FailsSaying(ErrorCode::kFailedPrecondition, "StartTrial"));
  EXPECT_THAT(logger.FinishTrial(0.5), FailsWith(ErrorCode::kFailedPrecondition));
  EXPECT_THAT(logger.AbandonTrial(""), FailsWith(ErrorCode::kFailedPrecondition));
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  EXPECT_THAT(logger.StartTrial(), FailsSaying(ErrorCode::kFailedPrecondition, "baseline"));
}

TEST_F(TuningLogs, TrialsOfAnEarlierTuningAreMovedAside) {
  for (int i = 0; i < 3; ++i) {
    TuningLogger logger(Options());
    ASSERT_THAT(logger.StartTrial(), Succeeds());
    ASSERT_THAT(logger.FinishTrial(0.5), Succeeds());
  }
  EXPECT_THAT(Names(dir_ / "runs"), ElementsAre("eval", "eval_earlier", "eval_earlier_2"));
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_0.5"));
}

TEST_F(TuningLogs, OrContinued) {
  fs::create_directories(Eval() / "baseline_acc_0.9");
  fs::create_directories(Eval() / "tune_7");
  fs::create_directories(Eval() / "notes");
  TuningOptions options = Options();
  options.earlier = ExistingTrials::kContinue;
  TuningLogger logger(options);
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  EXPECT_EQ(logger.trial_number(), 8);
}

TEST_F(TuningLogs, OrRefused) {
  fs::create_directories(Eval() / "tune_1_acc_0.5");
  TuningOptions options = Options();
  options.earlier = ExistingTrials::kRefuse;
  TuningLogger logger(options);
  EXPECT_THAT(logger.StartTrial(), FailsSaying(ErrorCode::kAlreadyExists, "tune_1_acc_0.5"));
}

TEST_F(TuningLogs, TwoTuningsDoNotMix) {
  TuningLogger first(Options());
  ASSERT_THAT(first.StartTrial(), Succeeds());
  TuningLogger second(Options());
  EXPECT_THAT(second.StartTrial(), FailsSaying(ErrorCode::kUnavailable, "another tuning"));
  ASSERT_THAT(first.FinishTrial(0.5), Succeeds());
  EXPECT_THAT(Trials(), ElementsAre("baseline_acc_0.5"));
}

TEST_F(TuningLogs, AFolderThatCannotBeWrittenIsNamedBeforeAnythingIsEvaluated) {
  std::ofstream(dir_ / "file") << "";
  TuningLogger logger({.directory = dir_ / "file" / "eval"});
  const auto started = logger.StartTrial();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("file"));
  EXPECT_FALSE(logger.in_trial());

  if (::geteuid() == 0) return;  // root may write to read-only directories.
  fs::create_directories(Eval());
  fs::permissions(Eval(), fs::perms::owner_read | fs::perms::owner_exec);
  TuningLogger refused(Options());
  EXPECT_THAT(refused.StartTrial(), FailsWith(ErrorCode::kPermissionDenied));
  fs::permissions(Eval(), fs::perms::owner_all);
}

TEST_F(TuningLogs, ANameThatIsTakenLosesNothing) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  fs::create_directories(Eval() / "baseline_acc_0.5" / "somebody's");
  EXPECT_THAT(logger.FinishTrial(0.5), FailsSaying(ErrorCode::kAlreadyExists, "baseline_acc_0.5"));
  EXPECT_THAT(TagsIn(Eval() / "baseline"), ElementsAre("accuracy"));
  EXPECT_FALSE(logger.in_trial());
}

TEST_F(TuningLogs, SwitchedOffNothingIsTouched) {
  TuningOptions options = Options();
  options.enabled = false;
  TuningLogger logger(options);
  ASSERT_THAT(logger.StartTrial({{"bits", 8.0}}), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", kValues), Succeeds());
  ASSERT_THAT(logger.AddTensorFlowGraph("missing.pb"), Succeeds());
  ASSERT_THAT(logger.FinishTrial(0.5), Succeeds());
  EXPECT_THAT(Names(dir_.path()), IsEmpty());
}

TEST_F(TuningLogs, TensorFlowGraphsNameWeightsByNodeAndOutputsByPrecision) {
  testing::FloatGraph().Save(dir_ / "fp32.pb");
  testing::QuantizedGraph().Save(dir_ / "int8.pb");
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddTensorFlowGraph(dir_ / "fp32.pb"), Succeeds());
  ASSERT_THAT(logger.AddNodeOutput("v0/cg/conv0/Relu", kValues), Succeeds());
  ASSERT_THAT(logger.AddNodeOutput("v0/cg/conv0/Relu", kValues), Succeeds());  // Another batch.
  ASSERT_THAT(logger.FinishTrial(0.776), Succeeds());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddTensorFlowGraph(dir_ / "int8.pb"), Succeeds());
  const std::vector<std::uint8_t> codes = {0, 51, 255};
  ASSERT_THAT(logger.AddNodeOutput(testing::kRequantize, codes), Succeeds());
  ASSERT_THAT(logger.AddNodeOutput("v0/cg/pool0/MaxPool", kValues), Succeeds());  // Still float.
  ASSERT_THAT(logger.FinishTrial(0.095), Succeeds());

  EXPECT_THAT(TagsIn(Eval() / "baseline_acc_0.776"),
              ElementsAre("v0/cg/conv0/conv2d/kernel", "v0/cg/fc/biases",
                          "v0/cg/conv0/Relu_fp32.output", "accuracy"));
  EXPECT_THAT(TagsIn(Eval() / "tune_1_acc_0.095"),
              ElementsAre("v0/cg/conv0/conv2d/kernel_qint8_const", "v0/cg/conv0/bias",
                          "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output",
                          "v0/cg/pool0/MaxPool_int8.output", "accuracy"));
}

TEST_F(TuningLogs, AFileThatIsNoGraphDefIsRefused) {
  TuningLogger logger(Options());
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  EXPECT_THAT(logger.AddTensorFlowGraph(dir_ / "missing.pb"), FailsWith(ErrorCode::kNotFound));
  EXPECT_TRUE(logger.in_trial());
}

}  // namespace
}  // namespace cboard::compression
