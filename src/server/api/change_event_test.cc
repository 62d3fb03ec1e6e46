#include "server/api/change_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::server {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const reader::Run> NamedRun(std::string name) {
  auto run = std::make_shared<reader::Run>();
  run->name = std::move(name);
  return run;
}

TEST(ChangeEvent, NamesWhatIsNewGoneAndDifferent) {
  const auto same = NamedRun("b");
  const reader::Snapshot before{.version = 1, .runs = {NamedRun("a"), same, NamedRun("c")}};
  const reader::Snapshot after{.version = 2, .runs = {NamedRun("a"), same, NamedRun("d")}};
  EXPECT_THAT(DescribeChange(before, after),
              HasSubstr(R"("snapshot":2,"changed":["a"],"added":["d"],"removed":["c"])"));
}

TEST(ChangeEvent, LeavesOutListsThatAreTooLong) {
  reader::Snapshot after{.version = 7};
  for (int i = 0; i < 1001; ++i) after.runs.push_back(NamedRun("run" + std::to_string(10000 + i)));
  EXPECT_THAT(DescribeChange(reader::Snapshot(), after), HasSubstr(R"("added":null,"removed":[])"));
}

TEST(ChangeEvent, SaysHowFarLoadingIs) {
  const reader::Snapshot after{.version = 1, .progress = {.done_bytes = 5, .total_bytes = 9}};
  EXPECT_THAT(DescribeChange(reader::Snapshot(), after),
              HasSubstr(R"("done_bytes":5,"total_bytes":9,"done_runs":0)"));
}

}  // namespace
}  // namespace cboard::server
