#include "reader/index/scalar_matcher.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {
namespace {

std::string ScalarEvent(std::string_view tag, float value, std::int64_t step,
                        const proto::SummaryMetadata& metadata = {}) {
  std::string summary;
  proto::AppendScalarValue(tag, value, metadata, summary);
  return proto::EncodeEvent({.wall_time_seconds = 1.7e9,
                             .step = step,
                             .kind = proto::EventKind::kSummary,
                             .payload = summary,
                             .source_writer = {}});
}

// Input of Match: the bytes behind wall time and step, with padding.
class Rest {
 public:
  Rest(const std::string& event, std::size_t step_bytes)
      : size_(event.size() - 9 - step_bytes), bytes_(event.substr(9 + step_bytes)) {
    bytes_.resize(bytes_.size() + ScalarMatcher::kReadAheadBytes, '\xEE');
  }
  const ScalarMatcher::Template* MatchedBy(ScalarMatcher& matcher) const {
    return record::HasShortCrc() ? matcher.Match(AsBytes(bytes_).data(), size_) : nullptr;
  }
  float ValueAt(std::size_t hole) const {
    return LoadLittleEndian<float>(AsBytes(bytes_).subspan(hole));
  }

 private:
  std::size_t size_;
  std::string bytes_;
};

#define SKIP_WITHOUT_CRC_INSTRUCTION() \
  if (!record::HasShortCrc()) GTEST_SKIP() << "nothing is matched on this processor"

TEST(ScalarMatcher, KnowsAnEventButForStepAndValue) {
  SKIP_WITHOUT_CRC_INSTRUCTION();
  ScalarMatcher matcher;
  matcher.Learn(AsBytes(ScalarEvent("loss", 0.5f, 0)), 7);
  const Rest later(ScalarEvent("loss", 0.25f, 300), 3);
  const ScalarMatcher::Template* found = later.MatchedBy(matcher);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->series, 7u);
  EXPECT_EQ(later.ValueAt(found->hole), 0.25f);
}

TEST(ScalarMatcher, TellsTagsApartInAnyOrder) {
  SKIP_WITHOUT_CRC_INSTRUCTION();
  ScalarMatcher matcher;
  const auto tag = [](std::uint32_t i) {
    return std::string(i % 150, 'x') + "/" + std::to_string(i);
  };
  constexpr std::uint32_t kTags = 3000;
  for (std::uint32_t i = 0; i < kTags; ++i) {
    matcher.Learn(AsBytes(ScalarEvent(tag(i), 1, 5)), i);
  }
  for (std::uint32_t i = 0; i < 10 * kTags; ++i) {
    const std::uint32_t which = i * 7919 % kTags;
    const auto* found = Rest(ScalarEvent(tag(which), 2, 6), 2).MatchedBy(matcher);
    ASSERT_NE(found, nullptr) << tag(which);
    ASSERT_EQ(found->series, which);
  }
}

TEST(ScalarMatcher, LearnsAnEventOnce) {
  SKIP_WITHOUT_CRC_INSTRUCTION();
  ScalarMatcher matcher;
  matcher.Learn(AsBytes(ScalarEvent("loss", 1, 5)), 3);
  const auto* first = Rest(ScalarEvent("loss", 2, 5), 2).MatchedBy(matcher);
  for (int i = 0; i < 1000; ++i) {
    matcher.Learn(AsBytes(ScalarEvent("loss", static_cast<float>(i), i)), 3);
  }
  EXPECT_EQ(matcher.size(), 1u);
  EXPECT_EQ(Rest(ScalarEvent("loss", 2, 5), 2).MatchedBy(matcher), first);
}

TEST(ScalarMatcher, AnyOtherByteIsAnotherEvent) {
  SKIP_WITHOUT_CRC_INSTRUCTION();
  ScalarMatcher matcher;
  const std::string event = ScalarEvent("accuracy/top1", 1, 5, {.display_name = "top 1"});
  matcher.Learn(AsBytes(event), 0);
  const auto* learned = Rest(event, 2).MatchedBy(matcher);
  ASSERT_NE(learned, nullptr);
  const std::size_t hole = 11 + learned->hole;
  for (std::size_t i = 11; i < event.size(); ++i) {
    std::string other = event;
    other[i] = static_cast<char>(other[i] ^ 1);
    const bool is_value = i >= hole && i < hole + 4;
    ASSERT_EQ(Rest(other, 2).MatchedBy(matcher) != nullptr, is_value) << "byte " << i;
  }
  EXPECT_EQ(Rest(event + "x", 2).MatchedBy(matcher), nullptr);
  EXPECT_EQ(Rest(event.substr(0, event.size() - 1), 2).MatchedBy(matcher), nullptr);
}

TEST(ScalarMatcher, KnowsScalarsThatAreTensorsOfAFloat) {
  SKIP_WITHOUT_CRC_INSTRUCTION();
  const auto event = [](std::string_view tensor) {
    std::string summary;
    proto::AppendTensorValue("loss", tensor, {.plugin_name = "scalars"}, summary);
    return proto::EncodeEvent({.wall_time_seconds = 1,
                               .step = 5,
                               .kind = proto::EventKind::kSummary,
                               .payload = summary,
                               .source_writer = {}});
  };
  ScalarMatcher matcher;
  const float one = 1, two = 2;
  matcher.Learn(AsBytes(event(proto::EncodeFloatTensor({}, {&one, 1}))), 3);
  const Rest rest(event(proto::EncodeFloatTensor({}, {&two, 1})), 2);
  const auto* found = rest.MatchedBy(matcher);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(rest.ValueAt(found->hole), 2);
  // Two floats, or one double, have no such hole.
  ScalarMatcher fresh;
  const double wide = 1;
  const std::vector<std::int64_t> pair = {2};
  const std::vector<float> values = {1, 2};
  for (const std::string& tensor :
       {proto::EncodeDoubleTensor({}, {&wide, 1}), proto::EncodeFloatTensor(pair, values)}) {
    fresh.Learn(AsBytes(event(tensor)), 0);
    EXPECT_EQ(Rest(event(tensor), 2).MatchedBy(fresh), nullptr);
  }
}

TEST(ScalarMatcher, LearnsNothingFromEventsOfAnotherShape) {
  SKIP_WITHOUT_CRC_INSTRUCTION();
  std::string two;
  proto::AppendScalarValue("a", 1, {}, two);
  proto::AppendScalarValue("b", 1, {}, two);
  const std::string event = proto::EncodeEvent({.wall_time_seconds = 1,
                                                .step = 5,
                                                .kind = proto::EventKind::kSummary,
                                                .payload = two,
                                                .source_writer = {}});
  const std::string good = ScalarEvent("a", 1, 5);
  for (const std::string& bytes : {event, std::string(), good.substr(0, 20), good + "\x52\x00"}) {
    ScalarMatcher matcher;
    matcher.Learn(AsBytes(bytes), 0);
    if (bytes.size() > 11) {
      EXPECT_EQ(Rest(bytes, 2).MatchedBy(matcher), nullptr);
    }
  }
}

TEST(ScalarMatcher, KeepsTemplatesButNotSeriesForTheNextFile) {
  SKIP_WITHOUT_CRC_INSTRUCTION();
  ScalarMatcher matcher;
  const auto info = std::make_shared<const TagInfo>(TagInfo{.name = "loss"});
  matcher.Learn(AsBytes(ScalarEvent("loss", 0.5f, 0)), 7, info);
  matcher.Learn(AsBytes(ScalarEvent("accuracy", 0.5f, 0)), 8);
  matcher.BeginFile();
  const ScalarMatcher::Template* found = Rest(ScalarEvent("loss", 1, 6), 2).MatchedBy(matcher);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->series, ScalarMatcher::kNoSeries);
  EXPECT_EQ(matcher.InfoOf(*found), info);
  matcher.SetSeries(*found, 3);
  EXPECT_EQ(Rest(ScalarEvent("loss", 2, 7), 2).MatchedBy(matcher)->series, 3u);

  found = Rest(ScalarEvent("accuracy", 1, 6), 2).MatchedBy(matcher);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(matcher.InfoOf(*found), nullptr);
  matcher.Learn(AsBytes(ScalarEvent("accuracy", 1, 6)), 4, info);
  EXPECT_EQ(matcher.size(), 2u);
  found = Rest(ScalarEvent("accuracy", 1, 6), 2).MatchedBy(matcher);
  EXPECT_EQ(found->series, 4u);
  EXPECT_EQ(matcher.InfoOf(*found), info);
}

}  // namespace
}  // namespace cboard::reader
