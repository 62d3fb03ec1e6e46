#include "object_store/access/signature.h"

#include <gtest/gtest.h>

#include "object_store/access/sha256.h"

namespace cboard::object_store {
namespace {

using std::string_view_literals::operator""sv;

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

// Examples of FIPS 180-4, and lengths around the end of a block.
TEST(Signature, HashesAsTheStandardSays) {
  EXPECT_EQ(HexSha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexSha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexSha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(HexSha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 4231, test cases 2 and 6: a short key, and one that is longer than a block.
TEST(Signature, AuthenticatesAsTheStandardSays) {
  EXPECT_EQ(ViewOf(HmacSha256("Jefe", "what do ya want for nothing?")),
            "\x5b\xdc\xc1\x46\xbf\x60\x75\x4e\x6a\x04\x24\x26\x08\x95\x75\xc7\x5a\x00\x3f\x08"
            "\x9d\x27\x39\x83\x9d\xec\x58\xb9\x64\xec\x38\x43"sv);
  EXPECT_EQ(ViewOf(HmacSha256(std::string(131, '\xaa'),
                              "Test Using Larger Than Block-Size Key - Hash Key First")),
            "\x60\xe4\x31\x59\x1e\xe0\xb6\x7f\x0d\x8a\x26\xaa\xcb\xf5\xb7\x7f\x8e\x0b\xc6\x21"
            "\x37\x28\xc5\x14\x05\x46\x04\x0f\x0e\xe3\x7f\x54"sv);
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
  EXPECT_EQ(CanonicalQuery({{"prefix", "a b/"}, {"list-type", "2"}}),
            "list-type=2&prefix=a%20b%2F");
}

}  // namespace
}  // namespace cboard::object_store
