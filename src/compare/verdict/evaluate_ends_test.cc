#include "compare/verdict/evaluate_ends.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compare/verdict/answer_agreement.h"

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

EndVerdict VerdictOf(const EndFindings& end, bool is_generated = false) {
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
  const EndVerdict verdict = VerdictOf(FindingsOf(scores, std::vector<float>(1000), 2));
  EXPECT_EQ(verdict.level, VerdictLevel::kBroken);
  EXPECT_EQ(verdict.measure, "collapsed");
  EXPECT_THAT(verdict.sentence, StartsWith("Broken: output 'y' (scores): all values became 0"));
  EXPECT_THAT(verdict.sentence, HasSubstr("20 samples (data.npz)"));
}

TEST(EvaluateEnds, CallsScoresSoundThatAreAHundredthOff) {
  const std::vector<float> scores = Scores(1000);
  std::vector<float> rounded = scores;
  for (float& score : rounded) score = std::round(score * 100) / 100;
  EXPECT_EQ(VerdictOf(FindingsOf(scores, rounded, 2)).level, VerdictLevel::kSound);
}

// The error is more than half of the amplitude at other positions, where nothing is detected.
TEST(EvaluateEnds, CountsManyDetectionsWithoutTheSqnr) {
  const auto verdict_of = [](std::size_t count, float factor) {
    const std::vector<float> scores = Scores(count);
    std::vector<float> noisy = scores;
    for (std::size_t i = 0; i < count; ++i) {
      noisy[i] = i % 10 == 0 ? scores[i] * factor : (i % 2 == 0 ? 0.24f : 0.0f);
    }
    return VerdictOf(FindingsOf(scores, noisy, 2));
  };
  EXPECT_LT(verdict_of(2000, 1).outputs[0].heads[0].judged_sqnr_db, 6);
  EXPECT_EQ(verdict_of(2000, 1).level, VerdictLevel::kSound);
  EXPECT_EQ(verdict_of(1000, 1).level, VerdictLevel::kBroken);  // 100 detections are too few.
  // The scores of most detections fall below the threshold, by less than a factor of two.
  EXPECT_EQ(verdict_of(2000, 0.35f).level, VerdictLevel::kBroken);
}

// All scores stay within a factor of two of the baseline's, and none is a detection any more.
TEST(EvaluateEnds, CallsScoresBrokenThatAllFellBelowTheThreshold) {
  std::vector<float> scores = Scores(1000), lower = scores;
  for (float& score : scores) score = score > 0.5f ? 0.3f + 0.1f * (score - 0.5f) : score;
  for (std::size_t i = 0; i < lower.size(); ++i) lower[i] = 0.6f * scores[i];
  const EndVerdict verdict = VerdictOf(FindingsOf(scores, lower, 2));
  EXPECT_EQ(verdict.level, VerdictLevel::kBroken) << verdict.sentence;
  EXPECT_THAT(verdict.sentence, HasSubstr("agree with an F1 of 0 %"));
}

// Values of 1 that vary by 0.1: the head is evaluated by its variation, and so are its channels.
TEST(EvaluateEnds, TheWorstChannelIsNotBetterThanItsHead) {
  std::vector<float> values(4000), rounded;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1 + 0.1f * std::sin(static_cast<float>(i * i % 997));
    const float error = i % 4 == 2 ? 0.03f : 0.002f;
    rounded.push_back(values[i] + error * std::cos(static_cast<float>(i * 7 % 991)));
  }
  const HeadVerdict head = VerdictOf(FindingsOf(values, rounded, 4)).outputs[0].heads[0];
  EXPECT_EQ(head.worst_channel, 2u);
  EXPECT_LT(head.worst_channel_sqnr_db, head.judged_sqnr_db);
  EXPECT_NEAR(head.worst_channel_sqnr_db, 20 * std::log10(0.1 / 0.03), 0.5);
}

// Boxes of 20 pixels in a picture of 320: an error of a twentieth of the picture loses the boxes,
// and the SQNR is still above 20 dB.
TEST(EvaluateEnds, CountsBoxesByTheirOverlap) {
  std::vector<float> boxes, moved;
  for (int i = 0; i < 60; ++i) {
    const std::vector<float> box = {static_cast<float>(i * 37 % 300),
                                    static_cast<float>(i * 53 % 300), 20, 20};
    boxes.insert(boxes.end(), box.begin(), box.end());
    moved.insert(moved.end(), {box[0] + (i % 2 == 0 ? 15 : -15), box[1] + 4, 20, 20});
  }
  const auto verdict_of = [](const std::vector<float>& baseline,
                             const std::vector<float>& variant) {
    EndFindings end = FindingsOf(baseline, variant, 4);
    const ChannelSizes sizes{.outer = baseline.size() / 4, .channels = 4};
    const std::vector<bool> all(sizes.outer, true);
    end.heads[0].AddDetected(baseline, variant, sizes, all);
    end.boxes.Add(baseline, variant, sizes, all);
    EndFindings scores = FindingsOf(Scores(600), Scores(600), 2);
    scores.name = "scores";
    return EvaluateEnds({end, scores}, 20, false, "data.npz");
  };
  const EndVerdict broken = verdict_of(boxes, moved);
  EXPECT_GT(broken.outputs[0].heads[0].sqnr_db, 20);
  EXPECT_EQ(broken.level, VerdictLevel::kBroken) << broken.sentence;
  EXPECT_THAT(broken.sentence, HasSubstr("0 of 60 boxes overlap by half or more"));
  EXPECT_EQ(verdict_of(boxes, boxes).level, VerdictLevel::kSound);

  // Boxes of a pixel are lost by a shift of a pixel, which nobody sees.
  std::vector<float> tiny = boxes, shifted;
  for (std::size_t i = 2; i < tiny.size(); i += i % 4 == 2 ? 1 : 3) tiny[i] = 1;
  shifted = tiny;
  for (std::size_t i = 0; i < shifted.size(); i += 4) shifted[i] += 1;
  EXPECT_EQ(verdict_of(tiny, shifted).level, VerdictLevel::kSound);
}

// The largest probability is always the first one, so the answers agree.
TEST(EvaluateEnds, CallsProbabilitiesBrokenThatAreTheSameForAllSamples) {
  const auto verdict_of = [](const std::vector<std::vector<float>>& variant) {
    std::vector<float> ours, theirs;
    HeadCounts head;
    head.channel_count = 2;
    for (std::size_t i = 0; i < variant.size(); ++i) {
      const float second = 0.001f * static_cast<float>(i % 7);
      const std::vector<float> sample = {1 - second, second};
      head.Add(sample, variant[i], {.outer = 1, .channels = 2});
      ours.insert(ours.end(), sample.begin(), sample.end());
      theirs.insert(theirs.end(), variant[i].begin(), variant[i].end());
    }
    EndFindings end = FindingsOf(ours, theirs, 2);
    end.heads = {head};
    return VerdictOf(end);
  };
  std::vector<std::vector<float>> same(20, {0.77f, 0.23f});
  const EndVerdict verdict = verdict_of(same);
  EXPECT_EQ(verdict.level, VerdictLevel::kBroken) << verdict.sentence;
  EXPECT_THAT(verdict.sentence, HasSubstr("the values are the same for all 20 samples"));
  same[7] = {0.78f, 0.22f};
  EXPECT_EQ(verdict_of(same).level, VerdictLevel::kDegraded);
  // Rounding may make sure answers equal.
  EXPECT_EQ(verdict_of(std::vector<std::vector<float>>(20, {1, 0})).level, VerdictLevel::kSound);
}

TEST(EvaluateEnds, DoesNotMeasureScoresThatShowNoDetection) {
  const EndVerdict verdict =
      VerdictOf(FindingsOf({0.001f, 0.002f, 0.003f, 0.001f}, std::vector<float>(4), 2));
  EXPECT_EQ(verdict.level, VerdictLevel::kNotMeasured);
  EXPECT_THAT(verdict.sentence, HasSubstr("no detection"));
}

TEST(EvaluateEnds, DoesNotCallADetectorSoundByItsBoxesAlone) {
  std::vector<float> boxes;
  for (int i = 0; i < 400; ++i) boxes.push_back(static_cast<float>(i * 37 % 320));
  EndFindings box_end = FindingsOf(boxes, boxes, 4);
  box_end.name = "boxes";
  const EndFindings scores = FindingsOf({0.001f, 0.002f, 0.003f, 0.001f}, std::vector<float>(4), 2);
  const EndVerdict verdict = EvaluateEnds({box_end, scores}, 20, false, "data.npz");
  EXPECT_EQ(verdict.level, VerdictLevel::kNotMeasured);
  EXPECT_THAT(verdict.sentence, HasSubstr("no detection"));
  EXPECT_THAT(verdict.sentence, HasSubstr("everything else is sound"));
  EXPECT_EQ(verdict.outputs[0].level, VerdictLevel::kSound);
}

TEST(EvaluateEnds, DoesNotTakeSmallLogitsForScores) {
  EndFindings end = FindingsOf({0.001f, 0.002f, 0.003f, 0.001f}, std::vector<float>(4), 2);
  end.heads[0].is_no_score = true;
  const EndVerdict verdict = VerdictOf(end);
  EXPECT_EQ(verdict.level, VerdictLevel::kBroken);
  EXPECT_EQ(verdict.outputs[0].heads[0].use, HeadUse::kLogits);
}

// Three ratings from 1 to 5 for each of ten samples; the second one is usually the largest.
TEST(EvaluateEnds, DoesNotTakeRatingsForClasses) {
  std::vector<float> ratings, errors;
  for (int sample = 0; sample < 10; ++sample) {
    for (int c = 0; c < 3; ++c) {
      const float rating = 2.5f + std::sin(static_cast<float>(7 * sample + c)) + (c == 1 ? 1 : 0);
      ratings.push_back(rating);
      errors.push_back(rating + 0.05f * std::sin(static_cast<float>(31 * sample + 5 * c)));
    }
  }
  EndFindings end = FindingsOf(ratings, errors, 3);
  end.heads[0].samples = 10;
  const HeadVerdict head = VerdictOf(end).outputs[0].heads[0];
  EXPECT_EQ(head.use, HeadUse::kValues);
  EXPECT_EQ(head.level, VerdictLevel::kSound);
  EXPECT_FALSE(head.agreement);
}

// Logits of `samples` classes that take turns; noise of a fixed size.
EndFindings Logits(std::size_t samples, float margin, float noise) {
  std::vector<float> ours, theirs;
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t c = 0; c < 4; ++c) {
      const auto at = static_cast<float>(4 * i + c);
      const float value = (i % 4 == c ? margin : 0.0f) + 0.2f * std::sin(17 * at);
      ours.push_back(value);
      theirs.push_back(value + noise * std::sin(31 * at + 1));
    }
  }
  EndFindings end = FindingsOf(ours, theirs, 4);
  end.heads[0].is_no_score = true;
  return end;
}

// 80 of 80 answers agree with an error of a tenth. The margins tell whether this is luck.
TEST(EvaluateEnds, CallsFewClearAnswersSoundBelowTheSqnrLimit) {
  const EndVerdict clear = VerdictOf(Logits(80, 4, 0.35f));
  EXPECT_EQ(clear.outputs[0].heads[0].use, HeadUse::kLogits);
  EXPECT_LT(clear.outputs[0].heads[0].judged_sqnr_db, 20);
  EXPECT_EQ(clear.level, VerdictLevel::kSound) << clear.sentence;
  // Margins that all became smaller change no class.
  EndFindings smaller = Logits(80, 4, 0.2f);
  EXPECT_GT(ExpectedAgreement(smaller.heads[0], true), 0.97);
  // Four samples predict nothing.
  EXPECT_EQ(VerdictOf(Logits(4, 4, 0.35f)).level, VerdictLevel::kDegraded);
  // The largest channel is always the same one: coordinates rather than classes.
  std::vector<float> ours, theirs;
  for (int i = 0; i < 80; ++i) {
    const auto at = static_cast<float>(i);
    ours.insert(ours.end(), {3 + std::sin(at), std::sin(3 * at)});
    theirs.insert(theirs.end(), {3 + std::sin(at), std::sin(3 * at) + 0.4f * std::sin(7 * at)});
  }
  EndFindings same = FindingsOf(ours, theirs, 2);
  same.heads[0].is_no_score = true;
  EXPECT_EQ(VerdictOf(same).level, VerdictLevel::kDegraded);
}

// Three channels of a picture are colors. Their largest one is no answer.
TEST(EvaluateEnds, EvaluatesPicturesByTheirValues) {
  std::vector<float> ours, theirs;
  for (int i = 0; i < 900; ++i) {
    const auto at = static_cast<float>(i);
    ours.push_back(std::sin(at * at) - 0.2f);
    theirs.push_back(ours.back() + 0.04f * std::sin(5 * at));
  }
  EndFindings end = FindingsOf(ours, theirs, 3);
  EXPECT_NE(VerdictOf(end).outputs[0].heads[0].use, HeadUse::kValues);
  end.is_picture = true;
  const EndVerdict verdict = VerdictOf(end);
  EXPECT_EQ(verdict.outputs[0].heads[0].use, HeadUse::kValues);
  EXPECT_EQ(verdict.level, VerdictLevel::kSound) << verdict.sentence;
}

TEST(EvaluateEnds, NamesAnOutputThatIsNotMeasuredBesideSoundOnes) {
  EndFindings other;
  other.name = "selected";
  other.other_shapes = 20;
  const std::vector<float> scores = Scores(1000);
  const EndVerdict verdict =
      EvaluateEnds({FindingsOf(scores, scores, 2), other}, 20, false, "data.npz");
  EXPECT_EQ(verdict.level, VerdictLevel::kSound);
  EXPECT_THAT(verdict.sentence, HasSubstr("output 'selected' is not measured"));
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
  const EndVerdict verdict = VerdictOf(end);
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
  const HeadVerdict head = VerdictOf(FindingsOf(probabilities, equal, 4)).outputs[0].heads[0];
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
  const HeadVerdict head = VerdictOf(FindingsOf(text, blanks, 4)).outputs[0].heads[0];
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
  EXPECT_NE(VerdictOf(FindingsOf(before, after, 2)).level, VerdictLevel::kBroken);
}

// Samples of one vector each: a large error at each value, and still the nearest vectors.
EndFindings Embeddings(std::size_t samples, float noise, bool is_mixed_up = false) {
  constexpr std::size_t kWidth = 96;
  EndFindings end{.name = "y", .shape = {1, kWidth}, .layout = ChannelLayout{.axis = 1}};
  HeadCounts head;
  head.channel_count = kWidth;
  std::vector<float> ours(kWidth), theirs(kWidth), all_ours, all_theirs;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t other = is_mixed_up ? (i * 7 + 3) % samples : i;
    for (std::size_t c = 0; c < kWidth; ++c) {
      const auto at = static_cast<float>(c + 3);
      ours[c] = std::sin(static_cast<float>(i + 1) * at);
      theirs[c] = std::sin(static_cast<float>(other + 1) * at) +
                  noise * std::cos(static_cast<float>(7 * i + 1) * at);
    }
    head.Add(ours, theirs, {.channels = kWidth});
    all_ours.insert(all_ours.end(), ours.begin(), ours.end());
    all_theirs.insert(all_theirs.end(), theirs.begin(), theirs.end());
  }
  end.heads = {head};
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(samples), kWidth};
  end.comparison =
      *Compare(TensorView(all_ours, shape), TensorView(all_theirs, shape), {.channel_axis = 1});
  return end;
}

TEST(EvaluateEnds, CallsFeaturesSoundWhoseNearestVectorsStayTheSame) {
  const EndVerdict verdict = VerdictOf(Embeddings(20, 0.25f));
  EXPECT_EQ(verdict.level, VerdictLevel::kSound) << verdict.sentence;
  EXPECT_EQ(verdict.measure, "nearest_agreement");
  EXPECT_THAT(verdict.sentence,
              HasSubstr("(features): the nearest vector is the same for 20 of 20"));
  EXPECT_LT(verdict.outputs[0].heads[0].judged_sqnr_db, 15);
}

TEST(EvaluateEnds, CallsFeaturesBrokenWhoseNearestVectorsAreOthers) {
  EXPECT_EQ(VerdictOf(Embeddings(20, 0, true)).level, VerdictLevel::kBroken);
  EXPECT_EQ(VerdictOf(Embeddings(20, 1.2f)).level, VerdictLevel::kBroken);
}

TEST(EvaluateEnds, TakesTheNameOfAnOutputForItsUse) {
  EndFindings end = Embeddings(20, 0.25f);
  end.hint = OutputHint::kAnswers;
  EXPECT_EQ(VerdictOf(end).outputs[0].heads[0].use, HeadUse::kLogits);
}

// A text recognizer of 30 characters: each at one of five positions, blanks between them.
EndFindings Recognized(std::size_t shift, std::size_t lost) {
  constexpr std::size_t kLabels = 30, kPositions = 26;
  EndFindings end{
      .name = "y", .shape = {1, kPositions, kLabels}, .layout = ChannelLayout{.axis = 2}};
  HeadCounts head;
  head.channel_count = kLabels;
  for (std::size_t line = 0; line < 20; ++line) {
    std::vector<float> ours(kPositions * kLabels, 0.001f), theirs = ours;
    for (std::size_t p = 0; p < kPositions; ++p) {
      const std::size_t label = p % 5 == 2 && p < 25 ? 1 + (line + p) % 29 : 0;
      const float score = 0.971f + 0.0001f * static_cast<float>(line % 8);
      ours[p * kLabels + label] = score;
      const std::size_t at = (p + shift) % kPositions;
      theirs[at * kLabels + (p / 5 < lost ? 0 : label)] = score;
    }
    head.Add(ours, theirs, {.outer = kPositions, .channels = kLabels, .is_sequence = true});
  }
  end.heads = {head};
  return end;
}

TEST(EvaluateEnds, ReadsTheTextOfARecognizerAndNotItsPositions) {
  EndFindings end = Recognized(1, 0);
  end.comparison.total.count = 1;
  const EndVerdict verdict = VerdictOf(end);
  EXPECT_EQ(verdict.level, VerdictLevel::kSound) << verdict.sentence;
  EXPECT_EQ(verdict.measure, "text_agreement");
  EXPECT_THAT(verdict.sentence, HasSubstr("(text): the text agrees in 100 % of 100 characters"));
  end = Recognized(0, 1);
  end.comparison.total.count = 1;
  EXPECT_EQ(VerdictOf(end).level, VerdictLevel::kBroken);
}

// Labels as ArgMax gives them.
TEST(EvaluateEnds, ReadsTheTextOfIntegers) {
  EndFindings end{.name = "y", .shape = {1, 12}};
  end.label_count = 40;
  for (std::uint32_t line = 0; line < 10; ++line) {
    const std::uint32_t a = 1 + line, b = 20 + line;
    end.sequences.Add({0, a, 0, 0, b, 0, 0, a, 0, 0, b, 0}, {0, 0, a, 0, 0, b, 0, 0, a, 0, b, 0});
  }
  end.labels = 120;
  end.same_labels = 60;
  const EndVerdict verdict = VerdictOf(end);
  EXPECT_EQ(verdict.level, VerdictLevel::kSound) << verdict.sentence;
  EXPECT_EQ(verdict.outputs[0].heads[0].use, HeadUse::kText);
}

TEST(EvaluateEnds, CallsRandomDataWeakEvidence) {
  const std::vector<float> scores = Scores(1000);
  EXPECT_THAT(VerdictOf(FindingsOf(scores, scores, 2), true).sentence,
              HasSubstr("random data, which is weak evidence"));
}

TEST(EvaluateEnds, CallsValuesBrokenThatBecameInfinite) {
  const EndVerdict verdict = VerdictOf(FindingsOf({1, 2, 3, 4}, {1, HUGE_VALF, 3, 4}, 2));
  EXPECT_EQ(verdict.level, VerdictLevel::kBroken);
  EXPECT_THAT(verdict.sentence, HasSubstr("NaN or infinite"));
}

}  // namespace
}  // namespace cboard::compare
