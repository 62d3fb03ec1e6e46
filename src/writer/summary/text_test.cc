#include "writer/summary/text.h"

#include "cboard/proto/tensor.h"
#include "cboard/writer/event_file_writer.h"
#include "testing/matchers.h"
#include "writer/testing/golden.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;

TEST(TextSummary, HasTheBytesOfTensorboardX) {
  EXPECT_EQ(MakeTextSummary("notes", "**ok**").value(),
            FromHex("0a30 0a12 6e6f7465732f746578745f73756d6d617279"
                    "4210 0807 1204 1202 0801 4206 2a2a6f6b2a2a 4a08 0a06 0a04 74657874"));
}

TEST(TextSummary, StoresOnlyValidUtf8) {
  const std::string summary = MakeTextSummary("a\xFF", "b\xFF").value();
  const auto values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].tag, "a\xEF\xBF\xBD/text_summary");
  EXPECT_EQ(proto::ReadStrings(proto::ParseTensor(values[0].payload).value()).value(),
            std::vector<std::string_view>{"b\xEF\xBF\xBD"});
}

TEST(TextSummary, RefusesATagThatNoViewerCouldShow) {
  EXPECT_THAT(MakeTextSummary(std::string(kMaxTagBytes + 1, 'x'), "text"),
              FailsSaying(ErrorCode::kInvalidArgument, "shorten it to at most 65,536"));
}

}  // namespace
}  // namespace cboard::writer::summary
