#include "data_server/values/blob_key.h"

#include <gtest/gtest.h>

#include "base/base64_url.h"
#include "testing/matchers.h"

namespace cboard::data_server {
namespace {

using ::cboard::testing::FailsWith;

TEST(BlobKey, IsTheTextOfTensorBoardsDataServer) {
  EXPECT_EQ(FromBase64Url(EncodeBlobKey(
                {.experiment = "", .run = "a \"b\"", .tag = "t/ü", .step = -3, .index = 2})),
            R"(["","a \"b\"","t/ü",-3,2])");
}

TEST(BlobKey, DecodesWhatItEncodes) {
  for (const BlobKey& key : {BlobKey{}, BlobKey{"e", "run/1", "tag\n\t\\", INT64_MIN, UINT64_MAX},
                             BlobKey{"e", ".", "\x7f", INT64_MAX, 0}}) {
    const auto decoded = DecodeBlobKey(EncodeBlobKey(key));
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, key);
  }
}

TEST(BlobKey, RefusesOtherTexts) {
  for (const std::string& json :
       {std::string("[]"), std::string("{}"), std::string(R"(["e","r","t",1])"),
        std::string(R"(["e","r","t",1,-1])"), std::string(R"(["e","r","t","1",0])"),
        std::string(R"(["e","r","t",1,0,0])"), std::string("[[[[[[")}) {
    EXPECT_THAT(DecodeBlobKey(ToBase64Url(json)), FailsWith(ErrorCode::kInvalidArgument)) << json;
  }
  EXPECT_THAT(DecodeBlobKey("not base64!"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(DecodeBlobKey(std::string(kMaxBlobKeyBytes + 1, 'A')),
              FailsWith(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace cboard::data_server
