#include "cboard/analysis/layer_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::analysis {
namespace {

std::shared_ptr<const Run> RunWith(std::string name, std::string directory,
                                   const std::vector<std::string>& histograms) {
  auto run = std::make_shared<Run>();
  run->name = std::move(name);
  run->directory = std::move(directory);
  for (const std::string& tag : histograms) {
    auto info = std::make_shared<TagInfo>();
    info->name = tag;
    info->kind = TagKind::kHistogram;
    run->tags.push_back({.info = std::move(info)});
  }
  return run;
}

std::vector<std::string> Variants(const Snapshot& snapshot) {
  std::vector<std::string> variants;
  for (const LayerSide& side : FindLayerSides(snapshot)) variants.push_back(side.variant);
  return variants;
}

TEST(LayerSides, AreTheVariantsThatTagsName) {
  const Snapshot snapshot{
      .runs = {RunWith("log", "log", {"conv1/weight/fp32", "conv1/weight/int8", "other"})}};
  EXPECT_THAT(Variants(snapshot), ::testing::ElementsAre("fp32", "int8"));
  EXPECT_EQ(FindSide(FindLayerSides(snapshot), "", "int8")->run, "log");
  EXPECT_EQ(FindSide(FindLayerSides(snapshot), "", "int4"), nullptr);
}

TEST(LayerSides, AreTheTrialsOfTuning) {
  const Snapshot snapshot{
      .runs = {RunWith("eval/baseline_acc_0.776", "eval/baseline_acc_0.776", {"conv1/Output/fp32"}),
               RunWith("eval/tune_1_acc_0.095", "eval/tune_1_acc_0.095",
                       {"conv1/Output/int8", "conv1/scale/fp32"})}};
  EXPECT_THAT(Variants(snapshot), ::testing::ElementsAre("baseline", "tune_1"));
  EXPECT_EQ(FindLayerSides(snapshot)[1].tensor_count, 2u);  // The scale is the trial's too.
}

TEST(LayerSides, KnowTrialsThatHaveBeenGivenNames) {
  const Snapshot snapshot{
      .runs = {RunWith("baseline/.", "eval/baseline_acc_0.776", {"conv1/Output/fp32"}),
               RunWith("tune_1/.", "eval/tune_1_acc_0.095", {"conv1/Output/int8"})}};
  EXPECT_THAT(Variants(snapshot), ::testing::ElementsAre("baseline", "tune_1"));
}

}  // namespace
}  // namespace cboard::analysis
