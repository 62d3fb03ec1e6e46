#include <gmock/gmock.h>

#include "benchmark/process/process.h"
#include "cboard/benchmark/evaluation.h"
#include "testing/matchers.h"

namespace cboard::benchmark {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using ::testing::Pair;
using testing::Succeeds;

TEST(EvalCommand, TakesTheLastLineAsANumberOrAsJson) {
  EXPECT_THAT(*ParseEvaluationOutput("loading\n0.914\n\n"), ElementsAre(Pair("accuracy", 0.914)));
  EXPECT_THAT(*ParseEvaluationOutput("{\"f1_score\": 0.5, \"note\": \"x\", \"accuracy\": 1}"),
              ElementsAre(Pair("accuracy", 1.0), Pair("f1_score", 0.5)));
}

TEST(EvalCommand, RefusesEverythingElse) {
  for (const char* text :
       {"", "\n", "accuracy: 0.9", "nan", "inf", "{}", "{\"a\": \"b\"}", "[1]"}) {
    EXPECT_THAT(ParseEvaluationOutput(text),
                FailsSaying(ErrorCode::kInvalidArgument, "a number or a JSON object"))
        << text;
  }
}

TEST(EvalCommand, PassesThePathAsOneWord) {
  const auto scores = RunEvaluation("test -n {model} && printf '%s\\n' {model} >&2; echo 0.5",
                                    "a folder/it's.onnx", 60);
  ASSERT_THAT(scores, Succeeds());
  EXPECT_EQ(scores->at("accuracy"), 0.5);
  EXPECT_THAT(RunEvaluation("echo 1", "m.onnx", 60),
              FailsSaying(ErrorCode::kInvalidArgument, "must contain {model}"));
}

TEST(EvalCommand, AFailedCommandIsNoAccuracy) {
  EXPECT_THAT(RunEvaluation("echo 0.9; echo 'no such data' >&2; exit 3 # {model}", "m.onnx", 60),
              FailsSaying(ErrorCode::kUnavailable, "exit code 3: no such data"));
}

TEST(EvalCommand, ACommandThatHangsIsKilledWithItsChildren) {
  EXPECT_THAT(RunEvaluation("sleep 600 & sleep 600 # {model}", "m.onnx", 0.3),
              FailsSaying(ErrorCode::kUnavailable, "did not end within 0.3 s"));
}

TEST(RunProcess, KeepsTheEndOfALongOutput) {
  const auto end = RunProcess({"/bin/sh", "-c", "head -c 5000000 /dev/zero; echo; echo last"}, 60);
  ASSERT_THAT(end, Succeeds());
  EXPECT_LE(end->output.size(), 2 * kMaxOutputBytes);
  EXPECT_TRUE(end->output.ends_with("last\n"));
}

TEST(RunProcess, FailsWhenThereIsNoSuchProgram) {
  EXPECT_THAT(RunProcess({"/no/such/program"}, 1),
              FailsSaying(ErrorCode::kNotFound, "/no/such/program"));
}

TEST(ParseLabelsArgument, SeparatesTheArrayFromTheFile) {
  EXPECT_EQ(ParseLabelsArgument("val.npz:y").file, "val.npz");
  EXPECT_EQ(ParseLabelsArgument("val.npz:y").array, "y");
  EXPECT_EQ(ParseLabelsArgument("val.npy").array, "");
  EXPECT_EQ(ParseLabelsArgument("C:/x/val.npz").file, "C:/x/val.npz");
}

}  // namespace
}  // namespace cboard::benchmark
