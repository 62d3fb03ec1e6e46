// Any bytes as an event file give a scan whose numbers add up, in memory that follows their size.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "cboard/base/check.h"
#include "cboard/reader/logdir_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int descriptor = ::memfd_create("tfevents", MFD_CLOEXEC);
  CBOARD_CHECK(descriptor >= 0);
  CBOARD_CHECK(::write(descriptor, data, size) == static_cast<ssize_t>(size));
  const cboard::RunScan run =
      cboard::ScanRun({.name = ".",
                       .directory = {},
                       .files = {"/proc/self/fd/" + std::to_string(descriptor)},
                       .size_bytes = size},
                      {.keep_points = true});
  ::close(descriptor);
  CBOARD_CHECK(run.files.size() == 1);
  const cboard::FileScan& file = run.files[0];
  CBOARD_CHECK(!file.error);
  CBOARD_CHECK(file.size_bytes == size);
  CBOARD_CHECK(file.damaged_bytes + file.torn_bytes <= size);
  for (const auto& [tag, scan] : run.tags) {
    CBOARD_CHECK(scan.min_step <= scan.max_step);
    CBOARD_CHECK(scan.kind != cboard::TagKind::kScalar || scan.points.size() == scan.count);
  }
  return 0;
}
