#include "object_store/access/signature.h"

#include <gtest/gtest.h>

namespace cboard::object_store {
namespace {

// The examples of Amazon's page "Signature Calculations for the Authorization Header".
const Credentials kExampleKeys = {.access_key = "AKIAIOSFODNN7EXAMPLE",
                                  .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                  .session_token = ""};
constexpr std::int64_t kExampleTime = 1369353600;  // 2013-05-24T00:00:00Z

std::string SignatureOf(const UnsignedRequest& request) {
  const auto headers = SignedHeaders(request, kExampleKeys, "us-east-1", kExampleTime);
  const std::string& text = headers.at("authorization");
  return text.substr(text.find("Signature=") + 10);
}

TEST(Signature, OfARangeOfAnObject) {
  EXPECT_EQ(SignatureOf({.host = "examplebucket.s3.amazonaws.com",
                         .path = "/test.txt",
                         .headers = {{"range", "bytes=0-9"}}}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(Signature, OfAListing) {
  EXPECT_EQ(SignatureOf({.host = "examplebucket.s3.amazonaws.com",
                         .path = "/",
                         .query = {{"max-keys", "2"}, {"prefix", "J"}}}),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Signature, OfAnUpload) {
  EXPECT_EQ(SignatureOf({.method = "PUT",
                         .host = "examplebucket.s3.amazonaws.com",
                         .path = "/" + PercentEncoded("test$file.text", true),
                         .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                     {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                         .body = "Welcome to Amazon S3."}),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(Signature, IsLeftOutWithoutKeys) {
  EXPECT_EQ(SignedHeaders({.host = "h"}, {}, "us-east-1", 0).count("authorization"), 0u);
}

TEST(Signature, EncodesWhatTheRulesSay) {
  EXPECT_EQ(PercentEncoded("a b/ü=~", true), "a%20b/%C3%BC%3D~");
  EXPECT_EQ(PercentEncoded("a/b", false), "a%2Fb");
  EXPECT_EQ(CanonicalQuery({{"prefix", "a b/"}, {"list-type", "2"}}), "list-type=2&prefix=a%20b%2F");
}

}  // namespace
}  // namespace cboard::object_store
