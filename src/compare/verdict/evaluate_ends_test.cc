#include "compare/verdict/evaluate_ends.h"

#include <gmock/gmock.h>

#include <cmath>

namespace cboard::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// One head over all channels of [rows, channels].
EndFindings FindingsOf(const std::vector<float>& baseline, const std::vector<float>& variant,
                       std::size_t channels) {
  EndFindings end;
  end.name = "y";
  end.shape = {static_cast<std::int64_t>(baseline.size() / channels),
               static_cast<std::int64_t>(channels)};
  end.layout = ChannelLayout{.axis = 1};
  HeadCounts head;
  head.channel_count = channels;
  head.Add(baseline, variant, {.outer = baseline.size() / channels, .channels = channels});
  end.heads = {head};
  end.comparison = *Compare(TensorView(baseline, end.shape), TensorView(variant, end.shape),
                            {.channel_axis = 1});
  return end;
}

EndVerdict ParsedByProtobuf(const EndFindings& end, bool is_generated = false) {
  return EvaluateEnds({end}, 20, is_generated, "data.npz");
}

// Scores of which every tenth is a detection.
std::vector<float> Scores(std::size_t count) {
  std::vector<float> scores(count);
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = i % 10 == 0 ? 0.6f + 0.003f * static_cast<float>(i % 100) : 0.01f;
  }
  return scores;
}

TEST(EvaluateEnds, CallsScoresBrokenThatAllBecameZero) {
  const std::vector<float> scores = Scores(1000);
  const EndVerdict verdict = ParsedByProtobuf(FindingsOf(scores, std::vector<float>(1000), 2));
  EXPECT_EQ(verdict.level, VerdictLevel::kBroken);
  EXPECT_EQ(verdict.measure, "collapsed");
  EXPECT_THAT(verdict.sentence, StartsWith("Broken: output 'y' (scores): all values became 0"));
  EXPECT_THAT(verdict.sentence, HasSubstr("20 samples (data.npz)"));
}

TEST(EvaluateEnds, CallsScoresSoundThatAreAHundredthOff) {
  const std::vector<float> scores = Scores(1000);
  std::vector<float> rounded = scores;
  for (float& score : rounded) score = std::round(score * 100) / 100;
  EXPECT_EQ(ParsedByProtobuf(FindingsOf(scores, rounded, 2)).level, VerdictLevel::kSound);
}

TEST(EvaluateEnds, DoesNotMeasureScoresThatShowNoDetection) {
  const EndVerdict verdict =
      ParsedByProtobuf(FindingsOf({0.001f, 0.002f, 0.003f, 0.001f}, std::vector<float>(4), 2));
  EXPECT_EQ(verdict.level, VerdictLevel::kNotMeasured);
  EXPECT_THAT(verdict.sentence, HasSubstr("no detection"));
}

// Logits with a large common offset, which the plain SQNR takes for signal.
TEST(EvaluateEnds, CallsLogitsBrokenWhoseOffsetIsAllThatIsLeft) {
  std::vector<float> logits, offset;
  for (int row = 0; row < 40; ++row) {
    for (int c = 0; c < 4; ++c) {
      logits.push_back(row % 4 == c ? -98.f : -100.f);
      offset.push_back(row % 4 == (c + 1) % 4 ? -98.f : -100.f);
    }
  }
  const EndFindings end = FindingsOf(logits, offset, 4);
  EXPECT_GT(end.comparison.total.SqnrDb(), 30);
  const EndVerdict verdict = ParsedByProtobuf(end);
  EXPECT_EQ(verdict.outputs[0].heads[0].agreement, 0.0);
  EXPECT_EQ(verdict.level, VerdictLevel::kDegraded) << verdict.sentence;
}

TEST(EvaluateEnds, CountsATieAsUndecided) {
  std::vector<float> probabilities, equal;
  for (int row = 0; row < 20; ++row) {
    for (int c = 0; c < 4; ++c) {
      probabilities.push_back(c == 0 ? 0.97f : 0.01f);
      // Equal in a row. Rows differ: a head of few values is collapsed, and has no agreement.
      equal.push_back(0.25f + 0.0001f * static_cast<float>(row));
    }
  }
  equal[0] = 0.26f;  // One answer.
  const HeadVerdict head =
      ParsedByProtobuf(FindingsOf(probabilities, equal, 4)).outputs[0].heads[0];
  EXPECT_EQ(head.use, HeadUse::kArgMax);
  ASSERT_TRUE(head.agreement);
  EXPECT_NEAR(*head.agreement, 0.2875, 1e-9);  // 1 and 19 quarters, of 20.
  EXPECT_EQ(head.level, VerdictLevel::kBroken);
}

// A text recognizer that gives blanks alone is right at most positions.
TEST(EvaluateEnds, CountsRareClassesApartFromTheMostFrequentOne) {
  std::vector<float> text, blanks;
  for (int row = 0; row < 100; ++row) {
    const int answer = row % 10 == 0 ? 1 + row % 3 : 0;
    for (int c = 0; c < 4; ++c) {
      text.push_back(c == answer ? 0.97f : 0.01f);
      blanks.push_back(c == 0 ? 0.97f : 0.01f);
    }
  }
  const HeadVerdict head = ParsedByProtobuf(FindingsOf(text, blanks, 4)).outputs[0].heads[0];
  EXPECT_EQ(*head.agreement, 0);
  EXPECT_EQ(head.level, VerdictLevel::kBroken);
}

TEST(EvaluateEnds, DoesNotBreakAModelByOneChangedClass) {
  std::vector<float> before, after;
  for (int row = 0; row < 5; ++row) {
    before.insert(before.end(), {0.6f, 0.4f});
    after.insert(after.end(), row == 0 ? std::initializer_list<float>{0.495f, 0.505f}
                                       : std::initializer_list<float>{0.6f, 0.4f});
  }
  EXPECT_NE(ParsedByProtobuf(FindingsOf(before, after, 2)).level, VerdictLevel::kBroken);
}

TEST(EvaluateEnds, CallsRandomDataWeakEvidence) {
  const std::vector<float> scores = Scores(1000);
  EXPECT_THAT(ParsedByProtobuf(FindingsOf(scores, scores, 2), true).sentence,
              HasSubstr("random data, which is weak evidence"));
}

TEST(EvaluateEnds, CallsValuesBrokenThatBecameInfinite) {
  const EndVerdict verdict = ParsedByProtobuf(FindingsOf({1, 2, 3, 4}, {1, HUGE_VALF, 3, 4}, 2));
  EXPECT_EQ(verdict.level, VerdictLevel::kBroken);
  EXPECT_THAT(verdict.sentence, HasSubstr("NaN or infinite"));
}

}  // namespace
}  // namespace cboard::compare
