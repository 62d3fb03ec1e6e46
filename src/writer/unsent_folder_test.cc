#include "writer/unsent_folder.h"

#include <gtest/gtest.h>

#include <map>

#include "base/temporary_folder.h"
#include "cboard/base/file.h"
#include "cboard/record/record_writer.h"
#include "writer/event_file.h"

namespace cboard::writer {
namespace {

namespace fs = std::filesystem;

// A store that keeps objects in memory. If `refuses` is set, every request fails.
class FakeStore final : public object_store::ObjectStore {
 public:
  Result<object_store::ObjectPage> List(std::string_view prefix, std::string_view) override {
    object_store::ObjectPage page;
    for (const auto& [key, bytes] : objects) {
      if (key.starts_with(prefix)) page.objects.push_back({key, bytes.size(), ""});
    }
    return page;
  }
  Result<std::string> Get(std::string_view, std::uint64_t, std::uint64_t,
                          std::string_view) override {
    return Fail(ErrorCode::kInternal, "not used");
  }
  Result<void> Put(std::string_view key, std::string_view bytes, bool) override {
    if (refuses) return Fail(ErrorCode::kUnavailable, "the store is away");
    ++put_count;
    objects[std::string(key)] = bytes;
    return {};
  }
  Result<void> Delete(std::string_view) override { return Fail(ErrorCode::kInternal, "not used"); }
  object_store::StoreStatistics statistics() const override { return {}; }
  void StopWith(std::stop_token) override {}

  std::map<std::string, std::string> objects;
  int put_count = 0;
  bool refuses = false;
};

std::string Records(std::initializer_list<std::string_view> payloads) {
  std::string bytes;
  for (const std::string_view payload : payloads) record::AppendRecord(AsBytes(payload), bytes);
  return bytes;
}

class UnsentFolderTest : public ::testing::Test {
 protected:
  // Creates a folder that a process has left, with one event file.
  fs::path Leave(const std::string& content) {
    auto folder = UnsentFolder::Create(folder_.path(), *StoreTarget::Of("s3://team/a/run"));
    EXPECT_TRUE(folder);
    EXPECT_TRUE(WriteFileAtomically(folder->path() / "events.out.tfevents.1.h.00000", content));
    return folder->path();
  }

  const std::string key_ = "a/run/events.out.tfevents.1.h.00000";
  TemporaryFolder folder_;
  FakeStore store_;
};

TEST_F(UnsentFolderTest, SendsWhatAProcessLeftAndRemovesTheFolder) {
  const fs::path left = Leave(Records({"one", "two"}));
  const auto abandoned = UnsentFolder::TakeAbandoned(folder_.path());
  ASSERT_EQ(abandoned.size(), 1u);
  EXPECT_EQ(abandoned[0].target().run.text(), "s3://team/a/run");
  ASSERT_TRUE(abandoned[0].Send(store_));
  EXPECT_EQ(store_.objects, (std::map<std::string, std::string>{{key_, Records({"one", "two"})}}));
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(UnsentFolderTest, LeavesOutARecordThatWasCut) {
  const std::string whole = Records({"one"});
  Leave(whole + Records({"two"}).substr(0, 15));
  ASSERT_TRUE(UnsentFolder::TakeAbandoned(folder_.path()).at(0).Send(store_));
  EXPECT_EQ(store_.objects.at(key_), whole);
}

TEST_F(UnsentFolderTest, NeverReplacesAnObjectByAShorterOne) {
  Leave(Records({"one"}));
  store_.objects[key_] = Records({"one", "two"});
  ASSERT_TRUE(UnsentFolder::TakeAbandoned(folder_.path()).at(0).Send(store_));
  EXPECT_EQ(store_.put_count, 0);
  EXPECT_EQ(store_.objects.at(key_), Records({"one", "two"}));
}

TEST_F(UnsentFolderTest, KeepsFilesThatTheStoreRefuses) {
  const fs::path left = Leave(Records({"one"}));
  store_.refuses = true;
  EXPECT_FALSE(UnsentFolder::TakeAbandoned(folder_.path()).at(0).Send(store_));
  EXPECT_TRUE(fs::exists(left / "events.out.tfevents.1.h.00000"));
  store_.refuses = false;
  EXPECT_TRUE(UnsentFolder::TakeAbandoned(folder_.path()).at(0).Send(store_));
}

TEST_F(UnsentFolderTest, LeavesFoldersInUseAndOfOtherMachinesAlone) {
  const auto in_use = UnsentFolder::Create(folder_.path(), *StoreTarget::Of("s3://team/run"));
  ASSERT_TRUE(in_use);
  const fs::path other = Leave(Records({"one"}));
  fs::rename(other, folder_.path() / "some-other-machine.1.00000000");
  EXPECT_TRUE(UnsentFolder::TakeAbandoned(folder_.path()).empty());
}

}  // namespace
}  // namespace cboard::writer
