#include "server/http/port_holder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <unordered_set>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::server {
namespace {

constexpr std::uint64_t kMaxTableBytes = 16 << 20;

// Returns the inodes of sockets that listen on `port`, from a table of this form:
//   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
//    0: 0100007F:1776 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345
void AddListeners(const char* table, std::uint16_t port, std::unordered_set<std::string>& inodes) {
  const Result<std::string> text = ReadFile(table, kMaxTableBytes);
  if (!text) return;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    const std::size_t colon = local.rfind(':');
    if (state != "0A" || colon == std::string::npos) continue;
    unsigned found = 0;
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), found, 16);
    if (found == port) inodes.insert("socket:[" + inode + "]");
  }
}

bool HoldsOneOf(const std::filesystem::path& process,
                const std::unordered_set<std::string>& inodes) {
  std::error_code error;
  for (std::filesystem::directory_iterator file(process / "fd", error), end; !error && file != end;
       file.increment(error)) {
    std::error_code unreadable;
    const std::filesystem::path link = std::filesystem::read_symlink(file->path(), unreadable);
    if (!unreadable && inodes.contains(link.string())) return true;
  }
  return false;
}

std::string CommandOf(const std::filesystem::path& process) {
  Result<std::string> command = ReadFile(process / "cmdline", 1 << 20);
  if (!command) return {};
  while (command->ends_with('\0')) command->pop_back();
  std::ranges::replace(*command, '\0', ' ');
  return ToValidUtf8(command->substr(0, 120));
}

}  // namespace

std::string DescribePortOwner(std::uint16_t port) {
  std::unordered_set<std::string> inodes;
  AddListeners("/proc/net/tcp", port, inodes);
  AddListeners("/proc/net/tcp6", port, inodes);
  if (inodes.empty()) return {};
  std::error_code error;
  for (std::filesystem::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    const std::string name = process->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!HoldsOneOf(process->path(), inodes)) continue;
    const std::string command = CommandOf(process->path());
    return "process " + name + (command.empty() ? "" : " (" + command + ")");
  }
  return {};
}

}  // namespace cboard::server
