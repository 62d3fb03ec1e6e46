#include "server/tensorboard/blob_key.h"

#include <gtest/gtest.h>

#include <limits>

namespace cboard::server::tensorboard {
namespace {

TEST(BlobKey, ReadsBackWhateverItNames) {
  for (const std::string& run : {std::string(), std::string("a/b"), std::string("1.2.3"),
                                 std::string("gr\xC3\xB6\xC3\x9F\x65\0x", 9)}) {
    for (const std::int64_t step : {std::int64_t{0}, std::numeric_limits<std::int64_t>::min()}) {
      const BlobKey key{7, 2, step, run, "tag." + run};
      const Result<BlobKey> decoded = DecodeBlobKey(EncodeBlobKey(key));
      ASSERT_TRUE(decoded);
      EXPECT_EQ(*decoded, key);
    }
  }
}

TEST(BlobKey, IsSafeInAnAddress) {
  const std::string key = EncodeBlobKey({1, 0, 5, "a&b=c", "\xFF\xFE?#/"});
  EXPECT_EQ(
      key.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      std::string::npos);
}

TEST(BlobKey, RefusesWhatIsNoKey) {
  const std::string long_text(kMaxBlobKeyBytes + 1, 'A');
  // "1.2.3", "1.2.3.99.run" and "-1.0.0.0." in base64url.
  for (const std::string_view text :
       {std::string_view(), std::string_view("!"), std::string_view("MS4yLjM"),
        std::string_view("MS4yLjMuOTkucnVu"), std::string_view("LTEuMC4wLjAu"),
        std::string_view(long_text)}) {
    const Result<BlobKey> decoded = DecodeBlobKey(text);
    ASSERT_FALSE(decoded) << text.substr(0, 20);
    EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace cboard::server::tensorboard
