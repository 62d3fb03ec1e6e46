#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "cboard/base/file.h"
#include "server/annotations/annotation_store.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using ::cboard::testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Annotations Named(const std::string& run, const std::string& json, std::int64_t time_ms) {
  Annotations annotations;
  annotations.runs[run]["name"] = {json, time_ms};
  return annotations;
}

TEST(AnnotationFile, ReadsTheExampleOfTheDocument) {
  const Result<Annotations> read = ParseAnnotations(R"({"format":"compression-board annotations",
    "version":1,"runs":{"train/seed-1":{"name":["Baseline, seed 1",1763462400123],
    "later":[{"a":[1]},5]}},"views":{"Loss":{"address":["scalars?smooth=0.9",7]}}})");
  ASSERT_TRUE(read);
  const AnnotationFields& fields = read->runs.at("train/seed-1");
  EXPECT_EQ(fields.at("name").json, R"("Baseline, seed 1")");
  EXPECT_EQ(fields.at("name").time_ms, 1763462400123);
  EXPECT_EQ(fields.at("later").json, R"({"a":[1]})") << "fields of later versions are kept";
  EXPECT_EQ(read->views.at("Loss").at("address").time_ms, 7);
}

TEST(AnnotationFile, IsTheSameAfterWritingAndReading) {
  Annotations all = Named("a \"b\"/ü", R"("x\ny")", 3);
  all.views["v"]["address"] = {"null", 9};
  const Result<Annotations> again = ParseAnnotations(FormatAnnotations(all));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, all);
}

TEST(AnnotationFile, NamesWhatIsWrong) {
  for (
      const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
          {"", "not a JSON object"},
          {"[]", "not a JSON object"},
          {R"({"format":"other","version":1})", "\"format\" must be"},
          {R"({"format":"compression-board annotations","version":2})", "newer"},
          {R"({"format":"compression-board annotations","version":1,"runs":[]})",
           "must be an object"},
          {R"({"format":"compression-board annotations","version":1,"runs":{"a":{"name":"x"}}})",
           "[value, time in milliseconds since 1970]"},
          {R"({"format":"compression-board annotations","version":1,"runs":{"a":{"name":["x",-1]}}})",
           "from 0 to 2^53"}}) {
    const Result<Annotations> read = ParseAnnotations(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(message)) << text;
  }
}

TEST(AnnotationFile, MergesToTheSameContentInEveryOrder) {
  const Annotations a = Named("run", "\"a\"", 10);
  const Annotations b = Named("run", "\"b\"", 20);
  const Annotations c = Named("run", "\"c\"", 20);
  std::vector<Annotations> results;
  for (const auto& order : std::vector<std::vector<Annotations>>{
           {a, b, c}, {c, b, a}, {b, a, c}, {b, c, a}, {a, c, b}, {c, a, b}, {c, c, a, b, a}}) {
    Annotations merged;
    for (const Annotations& one : order) Merge(merged, one);
    EXPECT_EQ(merged, c);
  }
}

class AnnotationStoreTest : public ::testing::Test {
 protected:
  std::string File() const { return (logdir_ / kAnnotationFileName).string(); }
  std::string NameOfRun(const AnnotationStore& store, const std::string& run) const {
    const auto content = store.Read();
    const auto found = content.annotations.runs.find(run);
    return found == content.annotations.runs.end() ? "none" : found->second.at("name").json;
  }

  cboard::testing::TempDir logdir_;
};

TEST_F(AnnotationStoreTest, KeepsWhatTwoBoardsWriteAtOnce) {
  constexpr int kChanges = 40;
  const auto write = [&](const std::string& prefix) {
    const AnnotationStore store({{.name = "", .path = logdir_.path()}}, "");
    for (int i = 0; i < kChanges; ++i) {
      const std::vector<std::string> run = {prefix + std::to_string(i)};
      EXPECT_TRUE(store.ChangeRuns(run, {{"name", "\"" + prefix + "\""}}));
    }
  };
  std::thread other([&] { write("b"); });
  write("a");
  other.join();
  const AnnotationStore store({{.name = "", .path = logdir_.path()}}, "");
  EXPECT_EQ(store.Read().annotations.runs.size(), 2 * kChanges);
  EXPECT_THAT(store.Read().problems, IsEmpty());
}

TEST_F(AnnotationStoreTest, ALaterChangeWinsAgainstAClockThatIsAhead) {
  ASSERT_TRUE(WriteFileAtomically(File(), FormatAnnotations(Named("r", "\"ahead\"", 1LL << 52))));
  const AnnotationStore store({{.name = "", .path = logdir_.path()}}, "");
  ASSERT_TRUE(store.ChangeRuns(std::vector<std::string>{"r"}, {{"name", "\"mine\""}}));
  EXPECT_EQ(NameOfRun(store, "r"), "\"mine\"");
}

TEST_F(AnnotationStoreTest, StoresRunsOfNamedLogDirectoriesByTheirPathInIt) {
  const AnnotationStore store({{.name = "base", .path = logdir_.path()}}, "");
  ASSERT_TRUE(store.ChangeRuns(std::vector<std::string>{"base/train"}, {{"name", "\"x\""}}));
  EXPECT_EQ(NameOfRun(store, "base/train"), "\"x\"");
  const AnnotationStore unnamed({{.name = "", .path = logdir_.path()}}, "");
  EXPECT_EQ(NameOfRun(unnamed, "train"), "\"x\"");
}

TEST_F(AnnotationStoreTest, LeavesAFileAloneThatItCannotRead) {
  ASSERT_TRUE(WriteFileAtomically(File(), "{ my own file }"));
  const AnnotationStore store({{.name = "", .path = logdir_.path()}}, "");
  EXPECT_THAT(store.Read().problems, ::testing::ElementsAre(HasSubstr("not a JSON object")));
  EXPECT_THAT(store.ChangeView("v", {{"address", "\"x\""}}),
              FailsWith(ErrorCode::kFailedPrecondition));
  EXPECT_EQ(*ReadFile(File()), "{ my own file }");
}

TEST_F(AnnotationStoreTest, DoesNotWaitForAPipe) {
  ASSERT_EQ(::mkfifo(File().c_str(), 0600), 0);
  const AnnotationStore store({{.name = "", .path = logdir_.path()}}, "");
  EXPECT_THAT(store.Read().problems, ::testing::ElementsAre(HasSubstr("not a regular file")));
}

TEST_F(AnnotationStoreTest, WritesNothingWhenItIsReadOnly) {
  const AnnotationStore store({{.name = "", .path = logdir_.path()}}, "because");
  EXPECT_THAT(store.ChangeView("v", {{"address", "\"x\""}}),
              FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_FALSE(std::filesystem::exists(File()));
}

TEST_F(AnnotationStoreTest, DeletesEventFilesOnlyAndOnlyInsideTheLogDirectory) {
  const AnnotationStore store({{.name = "", .path = logdir_.path()}}, "");
  const auto run_with = [](const std::filesystem::path& directory, const std::string& file) {
    std::filesystem::create_directories(directory);
    EXPECT_TRUE(WriteFileAtomically(directory / file, "x"));
    reader::Run run{.name = directory.filename().string(), .directory = directory};
    auto event_file = std::make_shared<reader::EventFile>();
    event_file->path = directory / file;
    run.files.push_back(event_file);
    return run;
  };
  const reader::Run run = run_with(logdir_ / "a", "events.out.tfevents.1");
  ASSERT_TRUE(WriteFileAtomically(logdir_ / "a" / "model.onnx", "x"));
  ASSERT_TRUE(store.ChangeRuns(std::vector<std::string>{"a"}, {{"name", "\"x\""}}));
  ASSERT_TRUE(store.DeleteRun(run));
  EXPECT_FALSE(std::filesystem::exists(logdir_ / "a" / "events.out.tfevents.1"));
  EXPECT_TRUE(std::filesystem::exists(logdir_ / "a" / "model.onnx"));
  EXPECT_EQ(NameOfRun(store, "a"), "null");

  ASSERT_TRUE(store.DeleteRun(run_with(logdir_ / "b", "events.out.tfevents.1")));
  EXPECT_FALSE(std::filesystem::exists(logdir_ / "b")) << "nothing else was in it";

  cboard::testing::TempDir elsewhere;
  run_with(elsewhere.path(), "events.out.tfevents.1");
  std::filesystem::create_directory_symlink(elsewhere.path(), logdir_ / "link");
  reader::Run linked = run_with(logdir_ / "link", "events.out.tfevents.1");
  EXPECT_THAT(store.DeleteRun(linked), FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_TRUE(std::filesystem::exists(elsewhere / "events.out.tfevents.1"));
}

}  // namespace
}  // namespace cboard::server
