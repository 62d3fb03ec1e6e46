#include "writer/scalar_encoder.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_writer.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard::writer {
namespace {

using namespace std::string_literals;  // NOLINT: for ""s with zero bytes.

std::string Encoded(ScalarEncoder& encoder, std::string_view tag, float value, std::int64_t step,
                    double wall_time) {
  std::string out(ScalarEncoder::MaxRecordBytes(tag), '?');
  out.resize(
      encoder.Encode(tag, value, step, wall_time, std::as_writable_bytes(std::span(out)).data()));
  return out;
}

// Returns the same record from the general encoders.
std::string Expected(std::string_view tag, float value, std::int64_t step, double wall_time) {
  std::string summary;
  proto::AppendScalarValue(summary::CleanTag(tag), value, {}, summary);
  std::string record;
  record::AppendRecord(AsBytes(proto::EncodeEvent({.wall_time_seconds = wall_time,
                                                   .step = step,
                                                   .kind = proto::EventKind::kSummary,
                                                   .payload = summary})),
                       record);
  return record;
}

TEST(ScalarEncoder, WritesTheGoldenRecord) {
  ScalarEncoder encoder;
  EXPECT_EQ(Encoded(encoder, "a", 1.5f, 5, 1.0),
            "\x17\0\0\0\0\0\0\0\xe7\xce\xf8\x1e"s
            "\x09\0\0\0\0\0\0\xf0\x3f\x10\x05\x2a\x0a\x0a\x08\x0a\x01\x61\x15\0\0\xc0\x3f"s
            "\x95\x1d\x70\xd2"s);
}

TEST(ScalarEncoder, EqualsTheGeneralEncoderForEveryStepLengthAndTagLength) {
  ScalarEncoder encoder;
  for (const std::size_t length : {0u, 1u, 7u, 100u, 119u, 120u, 127u, 128u, 300u, 5000u}) {
    const std::string tag(length, 't');
    for (const std::int64_t step :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{127}, std::int64_t{128},
          std::int64_t{1} << 14, std::int64_t{1} << 35, std::int64_t{-1},
          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
      ASSERT_EQ(Encoded(encoder, tag, -0.25f, step, 1.5e9), Expected(tag, -0.25f, step, 1.5e9))
          << length << " " << step;
    }
  }
}

TEST(ScalarEncoder, KeepsTagsApartInAnyOrder) {
  ScalarEncoder encoder;
  for (int i = 0; i < 2000; ++i) {
    const std::string tag = "tag" + std::to_string(i * i % 17);
    ASSERT_EQ(Encoded(encoder, tag, static_cast<float>(i), i, 2.0),
              Expected(tag, static_cast<float>(i), i, 2.0));
  }
}

TEST(ScalarEncoder, CleansTagsAndInvalidUtf8) {
  ScalarEncoder encoder;
  for (const std::string_view tag : {"/a b:c", "caf\xc3\xa9", "\xff\xfe", "..//x"}) {
    EXPECT_EQ(Encoded(encoder, tag, 1, 1, 1), Expected(tag, 1, 1, 1)) << tag;
  }
}

TEST(ScalarEncoder, StaysRightWhenTagsAreWithoutEnd) {
  ScalarEncoder encoder;
  for (int i = 0; i < 70'000; ++i) {
    const std::string tag = "t" + std::to_string(i);
    if (i % 1000 == 0 || i > 65'530) {
      ASSERT_EQ(Encoded(encoder, tag, 1, i, 1), Expected(tag, 1, i, 1)) << i;
    } else {
      Encoded(encoder, tag, 1, i, 1);
    }
  }
}

}  // namespace
}  // namespace cboard::writer
