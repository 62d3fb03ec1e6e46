#include "data_server/sampling/sample_limits.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace cboard::data_server {
namespace {

using ::cboard::testing::FailsWith;
using proto::DataClass;

TEST(SampleLimits, HaveTheDefaultsOfTensorBoardsDataServer) {
  const auto limits = SampleLimits::Parse("");
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->CapacityOf({DataClass::kScalar, "scalars"}), Capacity(1000));
  EXPECT_EQ(limits->CapacityOf({DataClass::kTensor, "text"}), Capacity(100));
  EXPECT_EQ(limits->CapacityOf({DataClass::kBlobSequence, "images"}), Capacity(10));
  EXPECT_EQ(limits->CapacityOf({DataClass::kUnknown, "mine"}), Capacity(0));
}

TEST(SampleLimits, AreOverriddenByPlugin) {
  const auto limits = SampleLimits::Parse("scalars=5,images=all,text=0");
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->CapacityOf({DataClass::kScalar, "scalars"}), Capacity(5));
  EXPECT_EQ(limits->CapacityOf({DataClass::kBlobSequence, "images"}), Capacity());
  EXPECT_EQ(limits->CapacityOf({DataClass::kTensor, "text"}), Capacity(0));
  EXPECT_EQ(limits->CapacityOf({DataClass::kTensor, "histograms"}), Capacity(100));
}

TEST(SampleLimits, RefuseTextsThatAreNoLimits) {
  for (const char* text : {"scalars", "=5", "scalars=", "scalars=-1", "scalars=5,", "a=1=2",
                           "scalars=99999999999999999999999"}) {
    EXPECT_THAT(SampleLimits::Parse(text), FailsWith(ErrorCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace cboard::data_server
