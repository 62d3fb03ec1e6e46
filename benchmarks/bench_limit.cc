// bench_limit: measures what this machine needs for the bare work, without any of our code.
//
//   bench_limit scalars --file F --events N [--no-clock]  clock, copy of a ready record, write()
//   bench_limit read    --count N --data values.f32       reads the values N times, adding them up
//   bench_limit store   --file F --count N --data D       copy, PNG's two checksums, write()
//   bench_limit deflate --count N --data D --level N      libdeflate alone
//   bench_limit files   --logdir D --count N --per N --bytes N
//                                                         directories of one file, per N of a count
//
// Prints one line of JSON, see measurement.h.
#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <numeric>
#include <vector>

#include "measurement.h"

namespace cboard::bench {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes ReadBytes(const std::string& path) {
  Bytes bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) Flags::Stop("cannot read " + path);
  return bytes;
}

class OutputFile {
 public:
  explicit OutputFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666)) {
    if (descriptor_ < 0) Flags::Stop("cannot create " + path);
  }
  ~OutputFile() { ::close(descriptor_); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(const void* data, std::size_t size) {
    if (::write(descriptor_, data, size) != static_cast<ssize_t>(size)) Flags::Stop("short write");
    bytes_ += size;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  int descriptor_;
  std::uint64_t bytes_ = 0;
};

// Keeps the compiler from removing work whose result is not used.
template <typename T>
void Use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

void LimitScalars(const Flags& flags) {
  constexpr std::size_t kRecordBytes = 50;  // Size of "train/loss" at a six-digit step.
  const std::int64_t events = flags.Count("--events");
  const bool with_clock = !flags.Has("--no-clock");
  std::array<std::uint8_t, kRecordBytes> record{};
  std::vector<std::uint8_t> buffer(64 << 10);
  Measurement measurement;
  std::uint64_t bytes = 0;
  {
    OutputFile file(flags.Text("--file"));
    std::size_t used = 0;
    for (std::int64_t step = 0; step < events; ++step) {
      if (used + kRecordBytes > buffer.size()) {
        file.Write(buffer.data(), used);
        used = 0;
      }
      timespec now{};
      if (with_clock) ::clock_gettime(CLOCK_REALTIME, &now);
      std::memcpy(record.data() + 13, &now, sizeof(double));
      std::memcpy(buffer.data() + used, record.data(), kRecordBytes);
      Use(buffer);
      used += kRecordBytes;
    }
    file.Write(buffer.data(), used);
    bytes = file.bytes();
  }
  measurement.Print(static_cast<std::uint64_t>(events), bytes);
}

void LimitRead(const Flags& flags) {
  const Bytes bytes = ReadBytes(flags.Text("--data"));
  const std::int64_t count = flags.Count("--count");
  Measurement measurement;
  for (std::int64_t i = 0; i < count; ++i) {
    // Uses four sums of words, so that the compiler can read as fast as memory delivers.
    std::array<std::uint64_t, 4> sums{};
    for (std::size_t at = 0; at + 32 <= bytes.size(); at += 32) {
      std::array<std::uint64_t, 4> words;
      std::memcpy(words.data(), bytes.data() + at, 32);
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += words[lane];
    }
    Use(sums);
  }
  measurement.Print(static_cast<std::uint64_t>(count), 0);
}

void LimitStore(const Flags& flags) {
  const Bytes pixels = ReadBytes(flags.Text("--data"));
  const std::int64_t count = flags.Count("--count");
  Bytes stored(pixels.size());
  Measurement measurement;
  std::uint64_t bytes = 0;
  {
    OutputFile file(flags.Text("--file"));
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(stored.data(), pixels.data(), pixels.size());
      Use(libdeflate_adler32(1, stored.data(), stored.size()));
      Use(libdeflate_crc32(0, stored.data(), stored.size()));
      file.Write(stored.data(), stored.size());
    }
    bytes = file.bytes();
  }
  measurement.Print(static_cast<std::uint64_t>(count), bytes);
}

void LimitDeflate(const Flags& flags) {
  const Bytes pixels = ReadBytes(flags.Text("--data"));
  const std::int64_t count = flags.Count("--count");
  libdeflate_compressor* const compressor =
      libdeflate_alloc_compressor(static_cast<int>(flags.Count("--level")));
  if (compressor == nullptr) Flags::Stop("libdeflate has no such --level");
  Bytes compressed(libdeflate_zlib_compress_bound(compressor, pixels.size()));
  std::uint64_t bytes = 0;
  Measurement measurement;
  for (std::int64_t i = 0; i < count; ++i) {
    bytes += libdeflate_zlib_compress(compressor, pixels.data(), pixels.size(), compressed.data(),
                                      compressed.size());
  }
  measurement.Print(static_cast<std::uint64_t>(count), bytes);
  libdeflate_free_compressor(compressor);
}

void LimitFiles(const Flags& flags) {
  const std::filesystem::path logdir = flags.Text("--logdir");
  const std::int64_t count = flags.Count("--count");
  const std::int64_t per = flags.Count("--per");
  const Bytes content(static_cast<std::size_t>(flags.Count("--bytes")));
  std::filesystem::create_directories(logdir);
  Measurement measurement;
  for (std::int64_t i = 0; i < count * per; ++i) {
    const std::filesystem::path directory = logdir / std::to_string(i);
    std::filesystem::create_directory(directory);
    OutputFile(directory / "events.out.tfevents").Write(content.data(), content.size());
  }
  measurement.Print(static_cast<std::uint64_t>(count), BytesBelow(logdir));
}

}  // namespace
}  // namespace cboard::bench

int main(int argc, char** argv) {
  using namespace cboard::bench;
  const std::string command = argc > 1 ? argv[1] : "";
  const Flags flags(argc, argv);
  if (command == "scalars") {
    LimitScalars(flags);
  } else if (command == "read") {
    LimitRead(flags);
  } else if (command == "store") {
    LimitStore(flags);
  } else if (command == "deflate") {
    LimitDeflate(flags);
  } else if (command == "files") {
    LimitFiles(flags);
  } else {
    Flags::Stop("usage: bench_limit scalars|read|store|deflate|files …");
  }
}
