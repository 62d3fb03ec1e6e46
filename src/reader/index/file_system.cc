#include "reader/index/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "cboard/base/file.h"

namespace cboard::reader {
namespace {

bool IsRemoteType(const struct statfs& status) {
  // Magic numbers of network and FUSE file systems, from linux/magic.h and from the sources of the
  // file systems: NFS, SMB (old and new), CIFS, FUSE, 9P, Ceph, AFS, Coda, Lustre, GPFS.
  constexpr std::array<std::uint32_t, 12> kRemote = {
      0x6969,     0x517B,     0xFE534D42, 0xFF534D42, 0x65735546, 0x01021997,
      0x00C36400, 0x5346414F, 0x6B414653, 0x73757245, 0x0BD00BD0, 0x47504653};
  return std::ranges::find(kRemote, static_cast<std::uint32_t>(status.f_type)) != kRemote.end();
}

}  // namespace

bool IsRemote(const std::string& path) {
  struct statfs status;
  return ::statfs(path.c_str(), &status) == 0 && IsRemoteType(status);
}

std::string MountTable() { return ReadFile("/proc/self/mountinfo").value_or(""); }

}  // namespace cboard::reader
