#include "tune/state_directory.h"

#include <gmock/gmock.h>

#include "cboard/base/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::tune {
namespace {

using testing::FailsSaying;
using testing::Succeeds;

class StateDirectoryTest : public ::testing::Test {
 protected:
  Result<StateDirectory> Open(bool is_resumed, const std::string& job = "{\"a\":1}") {
    return StateDirectory::Open(folder_ / "state", job, is_resumed);
  }
  testing::TempDir folder_;
};

TEST_F(StateDirectoryTest, ReadsBackTheResultsThatItStored) {
  const auto state = Open(false);
  ASSERT_THAT(state, Succeeds());
  ASSERT_THAT(CreateDirectories(state->TrialPath(1)), Succeeds());
  const TrialResult result{.accuracy = 0.1 + 0.2,
                           .metrics = {{"accuracy", 0.1 + 0.2}, {"loss", 1e-300}},
                           .per_item = {1, 0, 0.5},
                           .failure = "",
                           .speedup = 1.7,
                           .latency_ms = std::nullopt,
                           .size_bytes = 1234,
                           .seconds = 3.25};
  ASSERT_THAT(state->StoreResult(1, result), Succeeds());
  const auto read = state->ReadResult(1);
  ASSERT_THAT(read, Succeeds());
  ASSERT_TRUE(read->has_value());
  EXPECT_EQ((*read)->accuracy, result.accuracy);
  EXPECT_EQ((*read)->metrics, result.metrics);
  EXPECT_EQ((*read)->per_item, result.per_item);
  EXPECT_EQ((*read)->speedup, result.speedup);
  EXPECT_EQ((*read)->latency_ms, std::nullopt);
  EXPECT_EQ((*read)->size_bytes, 1234u);
}

TEST_F(StateDirectoryTest, HasNoResultOfATrialThatWasInterrupted) {
  const auto state = Open(false);
  ASSERT_THAT(CreateDirectories(state->TrialPath(1)), Succeeds());
  EXPECT_FALSE(state->ReadResult(1)->has_value());
}

TEST_F(StateDirectoryTest, RefusesAResultThatIsNeitherAccuracyNorFailure) {
  EXPECT_THAT(ParseTrialResult("{}"), FailsSaying(ErrorCode::kDataLoss, "not a trial result"));
  EXPECT_THAT(ParseTrialResult("{\"failure\":\"\",\"size_bytes\":1}"),
              FailsSaying(ErrorCode::kDataLoss, "not a trial result"));
  EXPECT_THAT(ParseTrialResult("tune"), FailsSaying(ErrorCode::kDataLoss, "not a trial result"));
  EXPECT_THAT(ParseTrialResult("{\"failure\":\"it crashed\",\"size_bytes\":1}"), Succeeds());
}

TEST_F(StateDirectoryTest, IgnoresAMeasurementThatWasCut) {
  const auto state = Open(false);
  ASSERT_THAT(state->AddMeasurement("f:conv1\n", 0.25), Succeeds());
  const auto file = state->path() / "measurements.jsonl";
  ASSERT_THAT(WriteFileAtomically(file, *ReadFile(file) + "\n{\"changes\":\"w:x\",\"noi"),
              Succeeds());
  ASSERT_THAT(state->AddMeasurement("f:conv2\n", 0.5), Succeeds());
  const std::map<std::string, double> expected = {{"f:conv1\n", 0.25}, {"f:conv2\n", 0.5}};
  EXPECT_EQ(*state->ReadMeasurements(), expected);
}

TEST_F(StateDirectoryTest, ContinuesOnlyTheSameTuningAndOnlyWhenToldSo) {
  ASSERT_THAT(Open(false), Succeeds());
  EXPECT_THAT(Open(false),
              FailsSaying(ErrorCode::kFailedPrecondition, "continue it with --resume"));
  EXPECT_THAT(Open(true, "{\"a\":2}"),
              FailsSaying(ErrorCode::kFailedPrecondition, "settings are different"));
  const auto state = Open(true);
  ASSERT_THAT(state, Succeeds());
  ASSERT_THAT(state->StoreReport("{}"), Succeeds());
  EXPECT_THAT(Open(false), Succeeds());  // A finished one is replaced.
}

TEST_F(StateDirectoryTest, DoesNotTouchADirectoryThatIsNotItsOwn) {
  ASSERT_THAT(CreateDirectories(folder_ / "state"), Succeeds());
  ASSERT_THAT(WriteFileAtomically(folder_ / "state" / "thesis.tex", "…"), Succeeds());
  EXPECT_THAT(Open(false), FailsSaying(ErrorCode::kFailedPrecondition,
                                       "is not empty, and contains no state of a tuning"));
}

}  // namespace
}  // namespace cboard::tune
