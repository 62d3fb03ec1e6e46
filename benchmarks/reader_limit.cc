// Reads every byte of a log directory without further work: the limit that no reader can beat.
//
//   reader_limit map  --logdir D --threads 2     adds up the bytes in the page cache
//   reader_limit read --logdir D --threads 2     copies them into a buffer, as most readers do
//   reader_limit list --logdir D --threads 2     finds the files, too: if they are short, this takes
//                                                as long; the other ways find them before
//
// Prints one line of JSON.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "measurement.h"

namespace {

using namespace cboard;  // NOLINT: a program of one file.

constexpr std::uint64_t kPieceBytes = std::uint64_t{16} << 20;
constexpr std::size_t kBufferBytes = 256 << 10;

// A part of a file; threads take the parts in turn.
struct Piece {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

std::vector<Piece> PiecesBelow(const std::filesystem::path& logdir) {
  std::vector<Piece> pieces;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(logdir)) {
    if (!entry.is_regular_file()) continue;
    const std::uint64_t size = entry.file_size();
    for (std::uint64_t at = 0; at < size; at += kPieceBytes) {
      pieces.push_back({entry.path().native(), at, std::min(kPieceBytes, size - at)});
    }
  }
  return pieces;
}

// Reads one word of every cache line.
std::uint64_t SumOf(const void* memory, std::uint64_t bytes) {
  constexpr std::uint64_t kLineWords = 8;
  const auto* words = static_cast<const std::uint64_t*>(memory);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < bytes / sizeof(std::uint64_t); i += kLineWords) sum += words[i];
  return sum;
}

std::uint64_t SumOfMapped(int file, const Piece& piece) {
  void* memory = ::mmap(nullptr, piece.bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file,
                        static_cast<off_t>(piece.begin));
  if (memory == MAP_FAILED) bench::Flags::Stop("cannot map " + piece.path);
  const std::uint64_t sum = SumOf(memory, piece.bytes);
  ::munmap(memory, piece.bytes);
  return sum;
}

std::uint64_t BytesRead(int file, const Piece& piece) {
  thread_local const auto buffer = std::make_unique<std::byte[]>(kBufferBytes);
  std::uint64_t done = 0;
  while (done < piece.bytes) {
    const ssize_t got =
        ::pread(file, buffer.get(), std::min<std::uint64_t>(kBufferBytes, piece.bytes - done),
                static_cast<off_t>(piece.begin + done));
    if (got <= 0) bench::Flags::Stop("cannot read " + piece.path);
    done += static_cast<std::uint64_t>(got);
  }
  return done;
}

// Lists `directory`, and reads its event files. Appends its subdirectories to `found`. Returns the
// number of bytes that were read.
std::uint64_t BytesOf(const std::string& directory, std::vector<std::string>& found) {
  DIR* const listing = ::opendir(directory.c_str());
  if (listing == nullptr) bench::Flags::Stop("cannot list " + directory);
  std::uint64_t bytes = 0;
  while (const dirent* const entry = ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") {
      found.push_back(directory + "/" + entry->d_name);
    } else if (entry->d_type == DT_REG) {
      const int file = ::openat(::dirfd(listing), entry->d_name, O_RDONLY | O_CLOEXEC);
      struct stat status;
      if (file < 0 || ::fstat(file, &status) != 0) bench::Flags::Stop("cannot open " + directory);
      bytes += BytesRead(
          file,
          {.path = entry->d_name, .begin = 0, .bytes = static_cast<std::uint64_t>(status.st_size)});
      ::close(file);
    }
  }
  ::closedir(listing);
  return bytes;
}

// Lists and reads all directories, one level after the other.
std::uint64_t BytesBelow(const std::string& logdir, std::int64_t thread_count) {
  std::atomic<std::uint64_t> bytes = 0;
  std::vector<std::string> level = {logdir};
  while (!level.empty()) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::vector<std::string> below;  // Protected by `mutex`.
    const auto work = [&] {
      std::vector<std::string> found;
      for (std::size_t i = next++; i < level.size(); i = next++) bytes += BytesOf(level[i], found);
      const std::lock_guard lock(mutex);
      below.insert(below.end(), found.begin(), found.end());
    };
    std::vector<std::thread> threads;
    for (std::int64_t i = 1; i < thread_count; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    level = std::move(below);
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way != "map" && way != "read" && way != "list") {
    bench::Flags::Stop("unknown way '" + way + "': map, read or list");
  }
  const bench::Flags flags(argc, argv);
  const std::int64_t thread_count = flags.Count("--threads");
  if (way == "list") {
    bench::Measurement listing;
    const std::uint64_t read = BytesBelow(flags.Text("--logdir"), thread_count);
    listing.Print(read, read);
    return 0;
  }
  const std::vector<Piece> pieces = PiecesBelow(flags.Text("--logdir"));
  bench::Measurement measurement;
  std::atomic<std::size_t> next = 0;
  // The sum keeps the compiler from removing the reads.
  std::atomic<std::uint64_t> bytes = 0, sum = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < pieces.size(); i = next++) {
      const int file = ::open(pieces[i].path.c_str(), O_RDONLY | O_CLOEXEC);
      if (file < 0) bench::Flags::Stop("cannot open " + pieces[i].path);
      sum += way == "map" ? SumOfMapped(file, pieces[i]) : BytesRead(file, pieces[i]);
      bytes += pieces[i].bytes;
      ::close(file);
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t i = 1; i < thread_count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  measurement.Print(sum, bytes);
  return 0;
}
