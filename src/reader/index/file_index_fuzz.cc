// Any bytes as an event file: reading it from the beginning, in several places at once and bit by
// bit as it grows must give the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cboard/record/record_writer.h"
#include "reader/index/file_index.h"
#include "reader/testing/index_testing.h"

namespace {

using namespace cboard;          // NOLINT: a program of one file.
using namespace cboard::reader;  // NOLINT

// The bytes as they are would seldom be records. Each piece begins with two bytes that say how long
// it is and whether it is framed, framed wrongly, or left raw.
std::string FileOf(std::string_view input) {
  std::string file;
  record::AppendRecord(AsBytes("\x1a\x0d"
                               "brain.Event:2"),
                       file);
  while (input.size() > 2) {
    const auto control = static_cast<unsigned char>(input[0]);
    const auto length = static_cast<unsigned char>(input[1]);
    input.remove_prefix(2);
    const std::string_view piece = input.substr(0, length);
    input.remove_prefix(piece.size());
    if (control % 16 == 0) {
      file += piece;
      continue;
    }
    const std::size_t begin = file.size();
    record::AppendRecord(AsBytes(piece), file);
    if (control % 16 == 1) file[begin + control % (file.size() - begin)] ^= 4;
    if (control % 16 == 2) file.resize(file.size() - 1 - control % 8);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool is_raw = data[0] % 4 == 0;
  const std::string file = is_raw ? std::string(input.substr(1)) : FileOf(input.substr(1));
  const auto whole = cboard::testing::ContentsOf(*cboard::testing::ReadWhole(file));

  cboard::testing::BackwardWorkers workers;
  const ReadOptions in_parts{.workers = &workers, .min_part_bytes = 64};
  if (cboard::testing::ContentsOf(*cboard::testing::ReadWhole(file, in_parts)) != whole) {
    __builtin_trap();
  }

  cboard::testing::MemoryFile memory;
  const File opened = memory.Open();
  FileIndex index("events");
  std::string_view left = file;
  for (std::size_t i = 0; !left.empty(); ++i) {
    const std::string_view more = left.substr(0, 1 + data[i % size] * 3u);
    memory.Append(more);
    left.remove_prefix(more.size());
    index.ContinueReading(opened, {});
  }
  index.ContinueReading(opened, {});
  if (cboard::testing::ContentsOf(*index.View()) != whole) __builtin_trap();
  return 0;
}
