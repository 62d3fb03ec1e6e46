#include "cboard/compression/tuning_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace cboard::compression {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(ParseTrialName, ReadsTheNamesOfEveryVersion) {
  struct Case {
    const char* directory;
    int number;
    std::vector<double> accuracies;
  };
  for (const Case& test : std::vector<Case>{{"baseline_acc_0.776", 0, {.776}},
                                            {"tune_1_acc_0.095", 1, {.095}},
                                            {"baseline_acc0.80", 0, {.80}},
                                            {"tune_1_acc0.79", 1, {.79}},
                                            {"tune_0_acc0.80", 0, {.80}},
                                            {"tune_12_acc_[0.776]", 12, {.776}},
                                            {"tune_2_acc_[0.776, 0.91]", 2, {.776, .91}},
                                            {"tune_2_acc_[0.776 0.91]", 2, {.776, .91}},
                                            {"tune_2_acc_(0.5,)", 2, {.5}},
                                            {"tune_3_acc_1e-05", 3, {1e-5}},
                                            {"tune_3_acc_None", 3, {}},
                                            {"tune_3_acc_0.5.bak", 3, {}},
                                            {"baseline", 0, {}},
                                            {"tune_3", 3, {}}}) {
    const auto name = ParseTrialName(test.directory);
    ASSERT_TRUE(name) << test.directory;
    EXPECT_EQ(name->number, test.number) << test.directory;
    EXPECT_EQ(name->accuracies, test.accuracies) << test.directory;
  }
}

TEST(ParseTrialName, RefusesOtherNames) {
  for (const char* directory : {"", "base", "baseline2", "tune_", "tune_x", "tune_1b", "tuned_1",
                                "tune_1_loss_3", "Baseline", "tune_12345678901234567890"}) {
    EXPECT_FALSE(ParseTrialName(directory)) << directory;
  }
}

TEST(TrialDirectoryName, IsThatOfTheTuningTools) {
  const std::vector<double> one = {0.776}, low = {0.095}, whole = {1}, small = {1e-5},
                            several = {0.776, 0.91}, nan = {std::nan("")};
  EXPECT_EQ(TrialDirectoryName(0, one), "baseline_acc_0.776");
  EXPECT_EQ(TrialDirectoryName(1, low), "tune_1_acc_0.095");
  EXPECT_EQ(TrialDirectoryName(12, whole), "tune_12_acc_1.0");
  EXPECT_EQ(TrialDirectoryName(1, small), "tune_1_acc_1e-05");
  EXPECT_EQ(TrialDirectoryName(2, several), "tune_2_acc_[0.776, 0.91]");
  EXPECT_EQ(TrialDirectoryName(3, nan), "tune_3_acc_nan");
  EXPECT_EQ(TrialDirectoryName(3, {}), "tune_3");
  EXPECT_EQ(TrialDirectoryName(0, one, TrialNaming::kPyTorch), "baseline_acc0.776");
  EXPECT_EQ(TrialDirectoryName(1, low, TrialNaming::kPyTorch), "tune_1_acc0.095");
}

TEST(TrialDirectoryName, ReadsBackAsTheSameTrial) {
  for (const TrialNaming naming : {TrialNaming::kTensorFlow, TrialNaming::kPyTorch}) {
    for (const std::vector<double>& accuracies :
         {std::vector<double>{}, {0.1}, {0.30000000000000004, -1e-300}, {1e22, 0.5, 3}}) {
      for (const int number : {0, 1, 999'999'999}) {
        const auto name = ParseTrialName(TrialDirectoryName(number, accuracies, naming));
        ASSERT_TRUE(name);
        EXPECT_EQ(name->number, number);
        EXPECT_EQ(name->accuracies, accuracies);
      }
    }
  }
}

TEST(TuningTags, AreThoseOfTheTuningTools) {
  EXPECT_EQ(OutputTag("conv1", "fp32"), "conv1/Output/fp32");
  EXPECT_EQ(OutputTag("layer1.0.conv2", "int8"), "layer1.0.conv2/Output/int8");
  EXPECT_EQ(ParameterTag("conv1", "weight", "int8"), "conv1/weight/int8");
  EXPECT_EQ(ParameterTag("conv1", "scale", "fp32"), "conv1/scale/fp32");
  EXPECT_EQ(ParameterTag("fc._packed_params", "weight", "int8"), "fc/weight/int8");
  EXPECT_EQ(ParameterTag("fc._packed_params._packed_params", "weight", "int8"), "fc/weight/int8");
  EXPECT_EQ(ParameterTag("", "alpha", "fp32"), "alpha/fp32");
  EXPECT_EQ(NodeOutputTag("v0/cg/conv0/Relu", "fp32"), "v0/cg/conv0/Relu_fp32.output");
  EXPECT_EQ(NodeOutputTag("v0/cg/conv0/conv2d/Conv2D_eightbit_requantize", "int8"),
            "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output");
}

TEST(FusedOps, TheLastMemberSpeaksForTheGroup) {
  FusedOps fused;
  fused.Add("conv1", {"conv1.0", "conv1.1"});
  EXPECT_EQ(fused.OutputName("conv1.0"), std::nullopt);
  EXPECT_THAT(fused.OutputName("conv1.1"), Optional(Eq("conv1")));
  EXPECT_THAT(fused.OutputName("conv1"), Optional(Eq("conv1")));
  EXPECT_THAT(fused.OutputName("conv2.1"), Optional(Eq("conv2.1")));
  EXPECT_EQ(fused.ParameterOwner("conv1.0"), "conv1");
  EXPECT_EQ(fused.ParameterOwner("conv2.0"), "conv2.0");
}

TEST(FusedOps, ModulesThatWillBeFusedKeepTheirParameters) {
  FusedOps fused;
  fused.Add("conv1", {"conv1", "bn1", "relu1"});
  EXPECT_EQ(fused.OutputName("conv1"), std::nullopt);
  EXPECT_EQ(fused.OutputName("bn1"), std::nullopt);
  EXPECT_THAT(fused.OutputName("relu1"), Optional(Eq("conv1")));
  EXPECT_EQ(fused.ParameterOwner("bn1"), "bn1");
  // A child with a name, or a number deeper in the name, does not belong to a fused module.
  fused.Add("block", {"block.conv", "block.0.1"});
  EXPECT_EQ(fused.ParameterOwner("block.conv"), "block.conv");
  EXPECT_EQ(fused.ParameterOwner("block.0.1"), "block.0.1");
}

}  // namespace
}  // namespace cboard::compression
