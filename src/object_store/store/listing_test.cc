#include "object_store/store/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/object_store/object_url.h"
#include "testing/matchers.h"

namespace cboard::object_store {
namespace {

using testing::FailsSaying;
using testing::Succeeds;

TEST(Listing, HasKeysSizesAndTheNextPage) {
  const auto page = ParseListing(
      R"(<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
         <EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
         <NextContinuationToken>abc=</NextContinuationToken>
         <Contents><Key>a+b/%C3%BC%2Bc</Key><Size>12</Size><ETag>"e"</ETag></Contents>
         </ListBucketResult>)");
  ASSERT_THAT(page, Succeeds());
  EXPECT_EQ(page->next, "abc=");
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0], (ObjectInfo{"a b/ü+c", 12, "\"e\""}));
}

TEST(Listing, RefusesWhatIsNone) {
  EXPECT_THAT(ParseListing("<html>proxy</html>"),
              FailsSaying(ErrorCode::kDataLoss, "not a list of the bucket's objects"));
  EXPECT_THAT(ParseListing(""),
              FailsSaying(ErrorCode::kDataLoss, "not a list of the bucket's objects"));
  EXPECT_THAT(ParseListing("<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents>"
                           "</ListBucketResult>"),
              FailsSaying(ErrorCode::kDataLoss, "without a key or size"));
  EXPECT_THAT(ParseListing("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"),
              FailsSaying(ErrorCode::kDataLoss, "but no continuation token"));
}

TEST(Listing, ErrorsHaveACode) {
  EXPECT_EQ(ParseStoreError("<Error><Code>NoSuchBucket</Code></Error>").code, "NoSuchBucket");
  EXPECT_EQ(ParseStoreError("502 Bad Gateway").code, "");
}

TEST(ObjectUrl, HasABucketAndAPrefix) {
  const auto url = ParseObjectUrl("s3://team-logs//runs/today/");
  ASSERT_THAT(url, Succeeds());
  EXPECT_EQ(*url, (ObjectUrl{"s3", "team-logs", "runs/today"}));
  EXPECT_EQ(url->text(), "s3://team-logs/runs/today");
  EXPECT_EQ(ParseObjectUrl("gs://abc")->prefix, "");
  EXPECT_THAT(ParseObjectUrl("s3://"),
              FailsSaying(ErrorCode::kInvalidArgument, "lacks the name of the bucket"));
  EXPECT_THAT(ParseObjectUrl("s3:///x"),
              FailsSaying(ErrorCode::kInvalidArgument, "lacks the name of the bucket"));
  EXPECT_THAT(ParseObjectUrl("s3://a b"),
              FailsSaying(ErrorCode::kInvalidArgument, "lacks the name of the bucket"));
  EXPECT_THAT(ParseObjectUrl("hdfs://a"), FailsSaying(ErrorCode::kInvalidArgument, "s3://"));
}

}  // namespace
}  // namespace cboard::object_store
