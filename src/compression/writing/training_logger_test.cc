#include "cboard/compression/training_logger.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compression/testing/read_back.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::Find;
using ::cboard::testing::ReadBack;
using ::cboard::testing::RunsAndTags;
using ::cboard::testing::Succeeds;
using ::cboard::testing::TempDir;
using ::testing::ElementsAre;

TEST(TrainingLogger, LogsAnEpoch) {
  const TempDir dir;
  TrainingLogger logger("alexnet", dir.path());
  ASSERT_THAT(logger.LogEpoch(3, {0.5, 0.9, 0.85}, {0.4, 0.92, 0.87}), Succeeds());
  ASSERT_THAT(logger.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_THAT(
      RunsAndTags(all),
      ElementsAre(
          "alexnet/training/loss", "alexnet/training/accuracy", "alexnet/training/f1_score",
          "alexnet/validation/loss", "alexnet/validation/accuracy", "alexnet/validation/f1_score",
          "alexnet/accuracy/train alexnet/accuracy", "alexnet/accuracy/val alexnet/accuracy",
          "alexnet/f1_score/train alexnet/f1_score", "alexnet/f1_score/val alexnet/f1_score",
          "alexnet/loss/train alexnet/loss", "alexnet/loss/val alexnet/loss"));
  EXPECT_EQ(Find(all, "alexnet/validation/f1_score").value, 0.87f);
  EXPECT_EQ(Find(all, "alexnet/loss", "alexnet/loss/val").value, 0.4f);
  for (const auto& logged : all) EXPECT_EQ(logged.step, 3);
}

TEST(TrainingLogger, LogsWhatIsOptionalWhenItIsThere) {
  const TempDir dir;
  SummaryWriter writer(dir.path());
  TrainingLogger logger("m", writer);
  ASSERT_THAT(logger.LogEpoch(0, {.sensitivity = 0.1, .specificity = 0.2},
                              {.sensitivity = 0.3, .specificity = 0.4}, 1e-3),
              Succeeds());
  ASSERT_THAT(logger.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_EQ(Find(all, "m/training/sensitivity").value, 0.1f);
  EXPECT_EQ(Find(all, "m/training/specificity").value, 0.2f);
  EXPECT_EQ(Find(all, "m/validation/sensitivity").value, 0.3f);
  EXPECT_EQ(Find(all, "m/validation/specificity").value, 0.4f);
  EXPECT_EQ(Find(all, "m/training/learning_rate").value, 1e-3f);
}

TEST(TrainingLogger, RemembersTheFirstOfTheBestEpochs) {
  const TempDir dir;
  TrainingLogger logger("m", dir.path());
  EXPECT_EQ(logger.best_validation_f1(), 0);
  const double scores[] = {0.5, std::nan(""), 0.8, 0.8, 0.7};
  for (int epoch = 0; epoch < 5; ++epoch) {
    ASSERT_THAT(logger.LogEpoch(epoch, {}, {.f1 = scores[epoch]}), Succeeds());
  }
  EXPECT_EQ(logger.best_validation_f1(), 0.8);
  EXPECT_EQ(logger.best_epoch(), 2);
}

TEST(TrainingLogger, LogsEarlyStopping) {
  const TempDir dir;
  TrainingLogger logger("m", dir.path());
  ASSERT_THAT(logger.LogEpoch(4, {}, {.f1 = 0.9}), Succeeds());
  ASSERT_THAT(logger.LogEarlyStopping(9, 5, 0.001, true), Succeeds());
  ASSERT_THAT(logger.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_EQ(Find(all, "m/training/early_stopping_patience").value, 5);
  EXPECT_EQ(Find(all, "m/training/early_stopping_min_delta").value, 0.001f);
  EXPECT_EQ(Find(all, "m/training/early_stopped").value, 1);
  EXPECT_EQ(Find(all, "m/training/best_epoch").value, 4);
  EXPECT_EQ(Find(all, "m/training/best_val_f1").value, 0.9f);
  EXPECT_EQ(Find(all, "m/training/best_val_f1").step, 9);
}

TEST(TrainingLogger, SumsATrainingUp) {
  const TempDir dir;
  TrainingLogger logger("m", dir.path());
  ASSERT_THAT(logger.LogEpoch(1, {}, {.f1 = 0.87654}), Succeeds());
  ASSERT_THAT(logger.LogTrainingSummary(10, {0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}, true), Succeeds());
  ASSERT_THAT(logger.Close(), Succeeds());
  const auto all = ReadBack(dir.path());
  EXPECT_EQ(Find(all, "m/training/summary/text_summary").text,
            "Training Summary for m\nTotal Epochs: 10\nEarly Stopped: True\nBest Epoch: 1\n"
            "Best Val F1: 0.8765\n\nFinal Training Metrics:\n  Loss: 0.1000\n  Accuracy: 0.2000\n"
            "  F1 Score: 0.3000\n\nFinal Validation Metrics:\n  Loss: 0.4000\n"
            "  Accuracy: 0.5000\n  F1 Score: 0.6000\n");
  EXPECT_EQ(Find(all, "m/training/summary/text_summary").step, 10);
  EXPECT_EQ(Find(all, "m/training/final_train_loss").value, 0.1f);
  EXPECT_EQ(Find(all, "m/training/final_train_acc").value, 0.2f);
  EXPECT_EQ(Find(all, "m/training/final_train_f1").value, 0.3f);
  EXPECT_EQ(Find(all, "m/validation/final_val_loss").value, 0.4f);
  EXPECT_EQ(Find(all, "m/validation/final_val_acc").value, 0.5f);
  EXPECT_EQ(Find(all, "m/validation/final_val_f1").value, 0.6f);
  EXPECT_EQ(Find(all, "m/validation/final_val_f1").step, 11);
}

TEST(TrainingLogger, FailsWhereItCannotWrite) {
  const TempDir dir;
  ASSERT_THAT(WriteFileAtomically(dir / "file", "x"), Succeeds());
  TrainingLogger logger("m", dir / "file");
  EXPECT_FALSE(logger.LogEpoch(0, {}, {}).has_value());
}

}  // namespace
}  // namespace cboard::compression
