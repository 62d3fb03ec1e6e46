#include "base/guarded_mapping.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>

namespace cboard {
namespace {

// The address range of one mapping. The members are atomic, because the signal handler reads them
// on the thread that faults. `version` is odd while another thread changes the members; a handler
// that sees an odd or changed version skips the slot. The slot of the mapping that faults is never
// skipped, because a slot does not change while its mapping is read.
struct MappingSlot {
  std::atomic<std::uint32_t> version = 0;
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;  // 0: the slot is free.
  // Device and inode of the file if all mappings of the file are guarded; 0 if only this mapping is
  // guarded.
  std::atomic<std::uint64_t> device = 0;
  std::atomic<std::uint64_t> inode = 0;
  std::atomic<bool> lost = false;
};

std::array<MappingSlot, MappingGuard::kMaxGuards> slots;
std::atomic<std::size_t> used_slots = 0;  // Slots from this index on were never used.
std::atomic<std::uintptr_t> page_bytes = 4096;
std::atomic<const struct sigaction*> previous_action = nullptr;
std::atomic<pid_t> forwarding_thread = 0;

// Protects the allocation of slots, and the installation and removal of the signal handler.
std::mutex& SlotMutex() {
  static auto* const mutex = new std::mutex;  // Never destroyed: mappings may end at exit.
  return *mutex;
}
std::size_t guard_count = 0;

void SetSlot(MappingSlot& slot, std::uintptr_t begin, std::uintptr_t end) {
  slot.version.fetch_add(1);
  slot.begin.store(begin);
  slot.end.store(end);
  slot.device.store(0);
  slot.inode.store(0);
  slot.version.fetch_add(1);
}

// The parsed fields of a line of /proc/self/maps: "7f00-7f10 r--p 0000 08:01 1234 /path".
struct MapsLine {
  std::uintptr_t begin = 0, end = 0;
  bool is_writable = false;
  std::uint64_t device = 0, inode = 0;
};

// Reads /proc/self/maps without allocating memory, so that a signal handler can use it.
class MapsReader {
 public:
  MapsReader() : descriptor_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapsReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  MapsReader(const MapsReader&) = delete;
  MapsReader& operator=(const MapsReader&) = delete;

  // Finds the line whose mapping contains `address`, and parses it into `line`.
  bool Find(std::uintptr_t address, MapsLine& line) {
    while (Next(line)) {
      if (address >= line.begin && address < line.end) return true;
    }
    return false;
  }

 private:
  bool Next(MapsLine& line) {
    line.begin = Number(16);
    line.end = Number(16);
    int permission = Take();  // "rw-p"
    for (int i = 0; permission > ' '; ++i, permission = Take()) {
      if (i == 1) line.is_writable = permission == 'w';
    }
    Number(16);  // The offset.
    line.device = Number(16) << 32;
    line.device |= Number(16);
    line.inode = Number(10);
    while (last_ != '\n' && last_ >= 0) Take();
    return last_ >= 0;
  }

  // Reads a number, and skips the character after it.
  std::uint64_t Number(unsigned base) {
    std::uint64_t number = 0;
    for (int c = Take(); c >= 0; c = Take()) {
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) break;
      number = number * base + static_cast<unsigned>(digit);
    }
    return number;
  }

  int Take() {
    if (next_ == count_) {
      do {
        count_ = ::read(descriptor_, buffer_, sizeof(buffer_));
      } while (count_ < 0 && errno == EINTR);
      next_ = 0;
      if (count_ <= 0) {
        count_ = 0;
        return last_ = -1;
      }
    }
    return last_ = static_cast<unsigned char>(buffer_[next_++]);
  }

  int descriptor_;
  char buffer_[512];
  ssize_t next_ = 0, count_ = 0;
  int last_ = 0;
};

bool ReplaceByZeros(std::uintptr_t address, std::uintptr_t end, int protection) {
  const std::uintptr_t page = address - address % page_bytes.load();
  return ::mmap(reinterpret_cast<void*>(page), end - page, protection,  // NOLINT: an address.
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Does the same as ReplaceLostPages for a mapping that other code created, if all mappings of its
// file are guarded.
bool ReplaceInOthers(std::uintptr_t address) {
  MapsLine line;
  bool is_found = false;
  const std::size_t count = used_slots.load();
  for (std::size_t i = 0; i < count; ++i) {
    MappingSlot& slot = slots[i];
    const std::uint32_t version = slot.version.load();
    const std::uint64_t device = slot.device.load(), inode = slot.inode.load();
    if (version % 2 != 0 || version != slot.version.load() || inode == 0) continue;
    is_found = is_found || MapsReader().Find(address, line);
    if (!is_found) return false;
    if (device != line.device || inode != line.inode) continue;
    slot.lost.store(true);
    return ReplaceByZeros(address, line.end, line.is_writable ? PROT_READ | PROT_WRITE : PROT_READ);
  }
  return false;
}

// Replaces the page at `address`, and all later pages of its mapping, by zeros. Returns false if no
// guarded mapping contains the address. Safe in a signal handler.
bool ReplaceLostPages(std::uintptr_t address) {
  const std::size_t count = used_slots.load();
  for (std::size_t i = 0; i < count; ++i) {
    MappingSlot& slot = slots[i];
    const std::uint32_t version = slot.version.load();
    const std::uintptr_t begin = slot.begin.load(), end = slot.end.load();
    if (version % 2 != 0 || version != slot.version.load()) continue;
    if (address < begin || address >= end) continue;
    slot.lost.store(true);
    return ReplaceByZeros(address, end, PROT_READ);
  }
  return ReplaceInOthers(address);
}

void EndByDefault(int signal, const siginfo_t& info) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  // Raises the signal again if a process sent it. A real fault needs no second signal, because it
  // happens again when the handler returns.
  if (info.si_code <= 0) ::raise(signal);
}

// Passes the signal to the handler that was installed before this one. If there was none, performs
// the default action.
void Forward(int signal, siginfo_t* info, void* context) {
  const struct sigaction* const previous = previous_action.load();
  // Detects a loop: a handler that was installed later may forward the signal to this handler, and
  // this handler would forward it back.
  const pid_t thread = ::gettid();
  if (previous == nullptr || forwarding_thread.exchange(thread) == thread) {
    return EndByDefault(signal, *info);
  }
  if ((previous->sa_flags & SA_SIGINFO) != 0) {
    previous->sa_sigaction(signal, info, context);
  } else if (previous->sa_handler == SIG_DFL) {
    EndByDefault(signal, *info);
  } else if (previous->sa_handler == SIG_IGN) {
    if (info->si_code > 0) EndByDefault(signal, *info);  // The kernel does not ignore faults.
  } else {
    previous->sa_handler(signal);
  }
  forwarding_thread.store(0);
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool is_lost_page = info->si_code == BUS_ADRERR;
  if (!is_lost_page || !ReplaceLostPages(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    Forward(signal, info, context);
  }
  errno = saved_errno;
}

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == OnBusError;
}

// Installs this signal handler in front of the current one, unless it is already installed. The
// caller holds SlotMutex().
bool InstallHandler() {
  struct sigaction present = {};
  if (::sigaction(SIGBUS, nullptr, &present) != 0) return false;
  if (IsOurs(present)) return true;
  // The list of earlier handlers is never freed, because a signal handler may be reading it. In
  // most processes it has one entry.
  static auto* const seen = new std::deque<struct sigaction>;
  const struct sigaction* kept = nullptr;
  for (const struct sigaction& action : *seen) {
    // Padding bytes may differ, and an equal action is then stored twice, which does no harm.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    if (std::memcmp(&action, &present, sizeof(present)) == 0) kept = &action;
  }
  if (kept == nullptr) kept = &seen->emplace_back(present);
  previous_action.store(kept);  // Must be set before the new handler can run.
  struct sigaction ours = {};
  ours.sa_sigaction = OnBusError;
  // The handler runs on the thread's alternate signal stack if there is one. Runtimes with small
  // stacks require this.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigemptyset(&ours.sa_mask);
  return ::sigaction(SIGBUS, &ours, nullptr) == 0;
}

// Restores the earlier signal handler, unless other code has since installed a new one. The new
// handler may forward signals to this handler, and this handler forwards them to the earlier one.
// The caller holds SlotMutex().
void RemoveHandler() {
  struct sigaction present = {};
  if (::sigaction(SIGBUS, nullptr, &present) == 0 && IsOurs(present)) {
    ::sigaction(SIGBUS, previous_action.load(), nullptr);
  }
}

// True if the calling thread blocks SIGBUS. A fault in such a thread ends the process without
// calling a handler.
bool BlocksBusErrors() {
  sigset_t blocked;
  return ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked) != 0 ||
         ::sigismember(&blocked, SIGBUS) != 0;
}

}  // namespace

std::unique_ptr<MappingGuard> MappingGuard::Create(ByteSpan memory) {
  if (BlocksBusErrors()) return nullptr;
  const std::lock_guard lock(SlotMutex());
  std::size_t free = 0;
  while (free < used_slots.load() && slots[free].end.load() != 0) ++free;
  if (free == kMaxGuards || !InstallHandler()) return nullptr;
  ++guard_count;
  page_bytes.store(static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)));
  if (free == used_slots.load()) used_slots.store(free + 1);
  slots[free].lost.store(false);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  SetSlot(slots[free], begin, begin + memory.size());
  return std::unique_ptr<MappingGuard>(new MappingGuard(free));
}

MappingGuard::~MappingGuard() {
  const std::lock_guard lock(SlotMutex());
  SetSlot(slots[slot_], 0, 0);
  if (--guard_count == 0) RemoveHandler();
}

bool MappingGuard::GuardOthers(const std::byte* address) {
  MapsLine line;
  if (!MapsReader().Find(reinterpret_cast<std::uintptr_t>(address), line) || line.inode == 0) {
    return false;
  }
  MappingSlot& slot = slots[slot_];
  slot.version.fetch_add(1);
  slot.device.store(line.device);
  slot.inode.store(line.inode);
  slot.version.fetch_add(1);
  return true;
}

bool MappingGuard::lost_bytes() const { return slots[slot_].lost.load(); }

std::unique_ptr<GuardedMapping> GuardedMapping::Map(int descriptor, std::size_t size) {
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return nullptr;
  const ByteSpan bytes(static_cast<const std::byte*>(address), size);
  std::unique_ptr<MappingGuard> guard = MappingGuard::Create(bytes);
  if (!guard) {
    ::munmap(address, size);
    return nullptr;
  }
  return std::unique_ptr<GuardedMapping>(new GuardedMapping(bytes, std::move(guard)));
}

GuardedMapping::~GuardedMapping() {
  guard_.reset();  // Must come first: after unmapping, the addresses may be reused.
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: munmap's signature.
}

}  // namespace cboard
