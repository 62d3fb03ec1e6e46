#include "base/guarded_mapping.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "cboard/base/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

using testing::Succeeds;
using testing::TempDir;

constexpr std::size_t kPages = 64;

struct sigaction PresentAction() {
  struct sigaction action = {};
  ::sigaction(SIGBUS, nullptr, &action);
  return action;
}

class GuardedMappingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    ASSERT_THAT(WriteFileAtomically(path_, std::string(kPages * page_, 'w')), Succeeds());
  }

  std::unique_ptr<GuardedMapping> Map() const {
    const auto file = File::OpenForReading(path_);
    return GuardedMapping::Map(file->descriptor(), kPages * page_);
  }

  const TempDir directory_;
  const std::filesystem::path path_ = directory_ / "m";
  std::size_t page_ = 0;
};

TEST_F(GuardedMappingTest, HasTheBytesOfTheFile) {
  const auto mapping = Map();
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(AsText(mapping->bytes()), std::string(kPages * page_, 'w'));
  EXPECT_FALSE(mapping->lost_bytes());
}

TEST_F(GuardedMappingTest, ReadsZerosBehindTheNewEnd) {
  const auto mapping = Map();
  std::filesystem::resize_file(path_, 2 * page_);
  EXPECT_EQ(mapping->bytes().back(), std::byte{0});
  EXPECT_EQ(mapping->bytes()[2 * page_], std::byte{0});
  EXPECT_EQ(mapping->bytes()[0], std::byte{'w'});
  EXPECT_TRUE(mapping->lost_bytes());
  EXPECT_FALSE(Map()->lost_bytes());
}

TEST_F(GuardedMappingTest, ManyThreadsMayMeetTheEndAtOnce) {
  const auto mapping = Map();
  std::filesystem::resize_file(path_, 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t page = 0; page < kPages; ++page) {
        EXPECT_EQ(mapping->bytes()[(page + i * 8) % kPages * page_], std::byte{0});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(mapping->lost_bytes());
}

TEST_F(GuardedMappingTest, TheEarlierHandlerIsRestored) {
  const struct sigaction before = PresentAction();
  {
    const auto first = Map();
    const auto second = Map();
    EXPECT_NE(PresentAction().sa_sigaction, before.sa_sigaction);
  }
  EXPECT_EQ(PresentAction().sa_sigaction, before.sa_sigaction);
  // The C library adds SA_RESTORER to every action that was ever set.
  constexpr int kRestorer = 0x04000000;
  EXPECT_EQ(PresentAction().sa_flags & ~kRestorer, before.sa_flags & ~kRestorer);
}

void ExitOnFault(int, siginfo_t* info, void*) { ::_exit(info->si_code == BUS_ADRERR ? 33 : 34); }

// A fault outside of guarded mappings goes to the earlier handler.
TEST_F(GuardedMappingTest, OtherFaultsReachTheEarlierHandler) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto fault_elsewhere = [&](bool has_handler) {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    if (has_handler) {
      action.sa_sigaction = ExitOnFault;
      action.sa_flags = SA_SIGINFO;
    }
    ::sigaction(SIGBUS, &action, nullptr);
    const auto mapping = Map();
    const TempDir other;
    (void)WriteFileAtomically(other / "o", std::string(page_, 'o'));
    const auto file = File::OpenForReading(other / "o");
    const auto* const bytes = static_cast<const volatile char*>(
        ::mmap(nullptr, page_, PROT_READ, MAP_PRIVATE, file->descriptor(), 0));
    std::filesystem::resize_file(other / "o", 0);
    (void)*bytes;
  };
  EXPECT_EXIT(fault_elsewhere(true), ::testing::ExitedWithCode(33), "");
  EXPECT_EXIT(fault_elsewhere(false), ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(GuardedMappingTest, ASignalThatIsSentStillEndsTheProcess) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        ::signal(SIGBUS, SIG_DFL);
        const auto mapping = Map();
        ::kill(::getpid(), SIGBUS);
        ::pause();
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(GuardedMappingTest, AHandlerThatCameLaterAndWentIsNotCalled) {
  auto first = Map();
  const struct sigaction ours = PresentAction();
  struct sigaction other = {};
  other.sa_sigaction = ExitOnFault;
  other.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &other, nullptr);
  const auto second = Map();  // Comes in front of it.
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(second->bytes()[0], std::byte{0});
  EXPECT_EQ(first->bytes()[0], std::byte{0});
  ::sigaction(SIGBUS, &ours, nullptr);
}

TEST_F(GuardedMappingTest, AThreadThatBlocksTheSignalGetsNone) {
  std::thread([&] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    EXPECT_EQ(Map(), nullptr);
  }).join();
}

TEST_F(GuardedMappingTest, ThereIsALimitToThem) {
  std::vector<std::unique_ptr<GuardedMapping>> mappings;
  while (auto mapping = Map()) mappings.push_back(std::move(mapping));
  EXPECT_EQ(mappings.size(), MappingGuard::kMaxGuards);
  mappings.erase(mappings.begin() + 5);
  EXPECT_NE(Map(), nullptr);
}

TEST_F(GuardedMappingTest, GuardsMappingsOfOthersIfAsked) {
  const auto mapping = Map();
  ASSERT_TRUE(mapping->GuardOthers());
  const auto file = File::OpenForReading(path_);
  for (const int protection : {PROT_READ, PROT_READ | PROT_WRITE}) {
    auto* const bytes = static_cast<volatile char*>(
        ::mmap(nullptr, kPages * page_, protection, MAP_PRIVATE, file->descriptor(), 0));
    std::filesystem::resize_file(path_, page_);
    EXPECT_EQ(bytes[0], 'w');
    EXPECT_EQ(bytes[kPages * page_ - 1], 0);
    EXPECT_EQ(bytes[page_], 0);
    if (protection & PROT_WRITE) bytes[page_] = 1;
    EXPECT_TRUE(mapping->lost_bytes());
    std::filesystem::resize_file(path_, kPages * page_);
    ::munmap(const_cast<char*>(bytes), kPages * page_);
  }
}

}  // namespace
}  // namespace cboard
