#include "cboard/reader/media_query.h"

#include <gmock/gmock.h>

#include "reader/testing/value_builder.h"
#include "testing/matchers.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::OnlyValue;
using ::cboard::testing::StringTensorBytes;
using ::cboard::testing::TensorBytes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using std::string_view_literals::operator""sv;

constexpr auto kPng = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\2\0\0\0\3"sv;
constexpr auto kGif = "GIF89a\5\0\7\0"sv;
constexpr auto kJpeg = "\xff\xd8\xff\xe0\0\4ab\xff\xff\xc2\0\x11\x08\0\x20\1\0\3"sv;
constexpr auto kBmp = "BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0\x10\0\0\0\xf8\xff\xff\xff"sv;
constexpr auto kWebp = "RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0"sv;
constexpr auto kWav = "RIFF\0\0\0\0WAVEfmt "sv;

TEST(SniffMediaType, KnowsFilesByTheirFirstBytes) {
  EXPECT_EQ(MimeTypeOf(SniffMediaType(kPng)), "image/png");
  EXPECT_EQ(MimeTypeOf(SniffMediaType(kGif)), "image/gif");
  EXPECT_EQ(MimeTypeOf(SniffMediaType(kJpeg)), "image/jpeg");
  EXPECT_EQ(MimeTypeOf(SniffMediaType(kBmp)), "image/bmp");
  EXPECT_EQ(MimeTypeOf(SniffMediaType(kWebp)), "image/webp");
  EXPECT_EQ(MimeTypeOf(SniffMediaType(kWav)), "audio/wav");
  EXPECT_EQ(MimeTypeOf(SniffMediaType("<svg onload=")), "application/octet-stream");
  EXPECT_EQ(SniffMediaType(""), MediaType::kUnknown);
}

TEST(SniffPixelSize, ReadsTheHeaderOfEachKind) {
  EXPECT_EQ(SniffPixelSize(kPng), (PixelSize{258, 3}));
  EXPECT_EQ(SniffPixelSize(kGif), (PixelSize{5, 7}));
  EXPECT_EQ(SniffPixelSize(kJpeg), (PixelSize{256, 32}));
  EXPECT_EQ(SniffPixelSize(kBmp), (PixelSize{16, 8})) << "stored from top to bottom";
  EXPECT_EQ(SniffPixelSize(kWebp), (PixelSize{16, 32}));
  EXPECT_EQ(SniffPixelSize(kWav), std::nullopt);
}

TEST(SniffPixelSize, StandsEveryPrefix) {
  for (const auto file : {kPng, kGif, kJpeg, kBmp, kWebp}) {
    for (std::size_t n = 0; n < file.size(); ++n) SniffPixelSize(file.substr(0, n));
    EXPECT_EQ(SniffPixelSize(file.substr(0, 9)), std::nullopt);
  }
}

TEST(ParseImageValue, ReadsBothForms) {
  std::string summary;
  proto::AppendImageValue("tag", {.height = 3, .width = 258, .colorspace = 3, .encoded = kPng}, {},
                          summary);
  const std::string bytes = OnlyValue(summary);
  const auto legacy = ParseImageValue(bytes);
  ASSERT_TRUE(legacy) << legacy.error().message;
  EXPECT_EQ(legacy->size, (PixelSize{258, 3}));
  ASSERT_EQ(legacy->samples.size(), 1u);
  EXPECT_EQ(legacy->samples[0].bytes, kPng);

  const std::string tensor = StringTensorBytes({4}, {"258", "3", kPng, kGif});
  const auto image = ParseImageValue(tensor);
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->size, (PixelSize{258, 3}));
  ASSERT_EQ(image->samples.size(), 2u);
  EXPECT_EQ(image->samples[1].type, MediaType::kGif);
}

TEST(ParseImageValue, LooksAtTheFileWhereTheSizeIsMissing) {
  EXPECT_EQ(ParseImageValue(StringTensorBytes({3}, {"wide", "", kGif}))->size, (PixelSize{5, 7}));
  EXPECT_EQ(ParseImageValue(StringTensorBytes({3}, {"", "", "?"}))->size, (PixelSize{0, 0}));
}

TEST(ParseImageValue, SaysWhatIsWrong) {
  EXPECT_THAT(ParseImageValue(StringTensorBytes({1, 3}, {"1", "1", kPng})),
              FailsSaying(ErrorCode::kDataLoss,
                          "shape [1, 3], but must be the list [width, height, image file"));
  EXPECT_THAT(ParseImageValue(TensorBytes(proto::EncodeFloatTensor({{1}}, {{1}}))),
              FailsWith(ErrorCode::kInvalidArgument));
  std::string summary;
  proto::AppendScalarValue("tag", 1, {}, summary);
  EXPECT_THAT(ParseImageValue(OnlyValue(summary)),
              FailsSaying(ErrorCode::kDataLoss, "not an image"));
}

TEST(ParseAudioValue, ReadsAllThreeForms) {
  std::string summary;
  proto::AppendAudioValue("tag",
                          {.sample_rate = 8000,
                           .num_channels = 2,
                           .length_frames = 99,
                           .encoded = kWav,
                           .content_type = "audio/wav"},
                          {}, summary);
  const std::string bytes = OnlyValue(summary);
  const auto legacy = ParseAudioValue(bytes);
  EXPECT_EQ(legacy->samples.at(0).type, MediaType::kWav);
  EXPECT_EQ(legacy->sample_rate, 8000);
  EXPECT_EQ(legacy->content_type, "audio/wav");

  const std::string plain = StringTensorBytes({2}, {kWav, "x"});
  EXPECT_EQ(ParseAudioValue(plain)->samples.size(), 2u);
  EXPECT_THAT(ParseAudioValue(plain)->labels, IsEmpty());
  const std::string labelled = StringTensorBytes({2, 2}, {kWav, "one", kWav, "two"});
  EXPECT_EQ(ParseAudioValue(labelled)->samples.size(), 2u);
  EXPECT_THAT(ParseAudioValue(labelled)->labels, ElementsAre("one", "two"));
  EXPECT_THAT(ParseAudioValue(StringTensorBytes({}, {kWav})), FailsWith(ErrorCode::kDataLoss));
}

TEST(ParseTextValue, KeepsTheShape) {
  const std::string scalar = StringTensorBytes({}, {"**hello**"});
  EXPECT_THAT(ParseTextValue(scalar)->texts, ElementsAre("**hello**"));
  EXPECT_THAT(ParseTextValue(scalar)->shape, IsEmpty());
  const std::string cube = StringTensorBytes({1, 2, 2}, {"a", "b", "c", "d"});
  EXPECT_THAT(ParseTextValue(cube)->texts, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ParseTextValue(cube)->shape, ElementsAre(1, 2, 2));
}

TEST(ParseTensorValue, ReadsNumbersAndStringsWithinTheLimit) {
  const std::string numbers = TensorBytes(proto::EncodeInt64Tensor({{2, 2}}, {{1, 2, 3, 4}}));
  const auto tensor = ParseTensorValue(numbers);
  EXPECT_EQ(tensor->dtype, proto::DataType::kInt64);
  EXPECT_THAT(tensor->shape, ElementsAre(2, 2));
  EXPECT_THAT(tensor->numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ParseTensorValue(numbers, 3), FailsWith(ErrorCode::kResourceExhausted));
  const std::string strings = StringTensorBytes({2}, {"x", "y"});
  EXPECT_THAT(ParseTensorValue(strings)->strings, ElementsAre("x", "y"));
  EXPECT_THAT(ParseTensorValue(strings, 1), FailsWith(ErrorCode::kResourceExhausted));
}

}  // namespace
}  // namespace cboard::reader
