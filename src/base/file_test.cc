#include "cboard/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using testing::Succeeds;
using testing::TempDir;

TEST(File, WritesThenReadsTheSameBytes) {
  TempDir dir;
  Result<File> file = File::CreateNew(dir / "x");
  ASSERT_THAT(file, Succeeds());
  ASSERT_THAT(file->Write(AsBytes("hello")), Succeeds());
  EXPECT_EQ(file->Size().value(), 5u);
  EXPECT_EQ(ReadFile(dir / "x").value(), "hello");
}

TEST(File, CreateNewNeverTouchesAFileThatIsThere) {
  TempDir dir;
  std::ofstream(dir / "x") << "precious";
  EXPECT_THAT(File::CreateNew(dir / "x"), FailsWith(ErrorCode::kAlreadyExists));
  EXPECT_EQ(ReadFile(dir / "x").value(), "precious");
}

TEST(File, ReadAtStopsAtTheEnd) {
  TempDir dir;
  std::ofstream(dir / "x") << "hello";
  const Result<File> file = File::OpenForReading(dir / "x");
  std::byte buffer[10];
  EXPECT_EQ(file->ReadAt(3, buffer).value(), 2u);
  EXPECT_EQ(file->ReadAt(99, buffer).value(), 0u);
}

TEST(File, KnowsWhenItsNameIsGone) {
  TempDir dir;
  const Result<File> file = File::CreateNew(dir / "x");
  EXPECT_TRUE(file->HasName());
  std::filesystem::remove(dir / "x");
  EXPECT_FALSE(file->HasName());
}

TEST(File, NeverTakesTheNumberOfAStandardStream) {
  TempDir dir;
  const int error = ::dup(STDERR_FILENO);
  ::close(STDERR_FILENO);
  const Result<File> file = File::CreateNew(dir / "x");
  const bool is_free = ::fcntl(STDERR_FILENO, F_GETFD) < 0;
  ::dup2(error, STDERR_FILENO);
  ::close(error);
  ASSERT_THAT(file, Succeeds());
  EXPECT_GT(file->descriptor(), STDERR_FILENO);
  EXPECT_TRUE(is_free);
}

TEST(File, OpeningAPipeThatNobodyWritesToDoesNotWait) {
  TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  const Result<File> pipe = File::OpenForReading(dir / "pipe");
  std::byte buffer[10];
  EXPECT_TRUE(!pipe || !pipe->ReadAt(0, buffer));
}

TEST(File, OpeningWaitsForALeaseOfAnotherProgram) {
  TempDir dir;
  std::ofstream(dir / "x") << "hello";
  const int holder = ::open((dir / "x").c_str(), O_RDWR | O_CLOEXEC);
  if (::fcntl(holder, F_SETLEASE, F_WRLCK) != 0) GTEST_SKIP() << "no leases on this file system";
  ::fcntl(holder, F_SETSIG, SIGCHLD);  // Ignored by default.
  std::thread giving_up([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::fcntl(holder, F_SETLEASE, F_UNLCK);
  });
  EXPECT_THAT(File::OpenForReading(dir / "x"), Succeeds());
  giving_up.join();
  ::close(holder);
}

TEST(File, ErrorsNameThePath) {
  EXPECT_THAT(File::OpenForReading("/nowhere/x"),
              FailsSaying(ErrorCode::kNotFound, "cannot open '/nowhere/x': No such file"));
}

TEST(ReadFile, RefusesMoreThanTheLimit) {
  TempDir dir;
  std::ofstream(dir / "x") << "12345";
  EXPECT_THAT(ReadFile(dir / "x", 4), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(ReadFile(dir / "x", 5), Succeeds());
}

TEST(ReadFile, WaitsForAPipe) {
  TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  std::thread writing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::ofstream(dir / "pipe") << "12345";
  });
  EXPECT_EQ(ReadFile(dir / "pipe").value(), "12345");
  writing.join();
}

TEST(ReadFile, ReadsFilesThatReportNoSize) {
  EXPECT_NE(ReadFile("/proc/self/status").value().find("Name:"), std::string::npos);
}

TEST(WriteFileAtomically, ReplacesTheOldContentAndLeavesNothingElse) {
  TempDir dir;
  ASSERT_THAT(WriteFileAtomically(dir / "x", "old"), Succeeds());
  ASSERT_THAT(WriteFileAtomically(dir / "x", "new"), Succeeds());
  EXPECT_EQ(ReadFile(dir / "x").value(), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(WriteFileAtomically, OneOfTwoWritersWinsInFull) {
  TempDir dir;
  const auto write_often = [&](char letter) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_THAT(WriteFileAtomically(dir / "x", std::string(100'000, letter)), Succeeds());
    }
  };
  std::thread other(write_often, 'b');
  write_often('a');
  other.join();
  const std::string content = ReadFile(dir / "x").value();
  EXPECT_EQ(content, std::string(100'000, content.at(0)));
}

TEST(CreateDirectories, SaysWhenAFileIsInTheWay) {
  TempDir dir;
  std::ofstream(dir / "x") << "";
  EXPECT_FALSE(CreateDirectories(dir / "x").has_value());
  EXPECT_FALSE(CreateDirectories(dir / "x" / "y").has_value());
  EXPECT_THAT(CreateDirectories(dir / "a" / "b"), Succeeds());
}

}  // namespace
}  // namespace cboard
