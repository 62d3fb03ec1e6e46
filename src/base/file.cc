#include "cboard/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cboard/base/strings.h"

namespace cboard {
namespace {

constexpr std::size_t kNameBytesShown = 300;

// Descriptors below this number are standard input, output and error. If a program has closed one
// of them, open() returns its number, and messages of the program would be written to the file.
constexpr int kFirstFreeDescriptor = 3;

std::string Named(std::string_view verb, const std::filesystem::path& path) {
  return std::string(verb) + " " + Quoted(path.native(), kNameBytesShown);
}

// Returns -1 and sets errno if the system refuses.
int OpenDescriptor(const std::filesystem::path& path, int flags) {
  int descriptor = -1;
  while (descriptor < 0) {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
    if (descriptor >= 0 || errno == EINTR) continue;
    if (errno != EWOULDBLOCK || (flags & O_NONBLOCK) == 0) return -1;
    flags &= ~O_NONBLOCK;  // Waits for another program to give up its lease on the file.
  }
  if (descriptor >= kFirstFreeDescriptor) return descriptor;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFreeDescriptor);
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return moved;
}

}  // namespace

Result<File> File::Open(const std::filesystem::path& path, int flags,
                        const std::filesystem::path& named) {
  const int descriptor = OpenDescriptor(path, flags);
  if (descriptor >= 0) return File(descriptor, path);
  const int reason = errno;
  if ((flags & O_CREAT) == 0) return Fail(ErrnoError(reason, Named("open", named)));
  // Names the missing directory. The system's error "No such file or directory" confuses users who
  // create a file.
  std::error_code ignored;
  const std::filesystem::path parent = named.parent_path();
  if (reason == ENOENT && !parent.empty() && !std::filesystem::exists(parent, ignored)) {
    return Fail(ErrorCode::kNotFound, Named("cannot create", named) +
                                          Named(": its parent directory does not exist:", parent));
  }
  return Fail(ErrnoError(reason, Named("create", named)));
}

// Never waits: a pipe that nobody writes to would stop a reader of logs, and its content cannot be
// read by position anyway. ReadFile() waits for pipes.
Result<File> File::OpenForReading(const std::filesystem::path& path) {
  return Open(path, O_RDONLY | O_NONBLOCK, path);
}

Result<File> File::CreateNew(const std::filesystem::path& path) {
  return Open(path, O_RDWR | O_CREAT | O_EXCL, path);
}

Result<File> File::Create(const std::filesystem::path& path) {
  return Open(path, O_RDWR | O_CREAT | O_TRUNC, path);
}

Result<File> File::CreateTemporarySibling(const std::filesystem::path& path) {
  // The counter makes the temporary name unique. It is atomic, because two threads may write the
  // same file at the same time.
  static std::atomic<unsigned> sequence = 0;
  std::filesystem::path temporary = path;
  temporary += ".tmp" + std::to_string(::getpid()) + "." + std::to_string(sequence++);
  return Open(temporary, O_RDWR | O_CREAT | O_TRUNC, path);
}

Result<File> File::OpenForAppending(const std::filesystem::path& path) {
  return Open(path, O_WRONLY | O_CREAT | O_APPEND, path);
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> File::Write(ByteSpan bytes) {
  std::size_t written = 0;
  return WriteSome(bytes, written);
}

Result<void> File::WriteSome(ByteSpan bytes, std::size_t& written) {
  written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count < 0) {
      if (errno == EINTR) continue;
      return Fail(ErrnoError(errno, Named("write to", path_)));
    }
    if (count == 0) return Fail(ErrnoError(ENOSPC, Named("write to", path_)));
    written += static_cast<std::size_t>(count);
  }
  return {};
}

Result<std::size_t> File::ReadAt(std::uint64_t offset, MutableByteSpan buffer) const {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count = ::pread(descriptor_, buffer.data() + filled, buffer.size() - filled,
                                  static_cast<off_t>(offset + filled));
    if (count < 0) {
      if (errno == EINTR) continue;
      return Fail(ErrnoError(errno, Named("read", path_)));
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

Result<std::uint64_t> File::Size() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) return Fail(ErrnoError(errno, Named("stat", path_)));
  return static_cast<std::uint64_t>(status.st_size);
}

bool File::HasName() const {
  struct stat status;
  return ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0;
}

Result<std::string> ReadFile(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const struct Descriptor {
    int number;
    ~Descriptor() {
      if (number >= 0) ::close(number);
    }
  } file{OpenDescriptor(path, O_RDONLY)};
  struct stat status;
  if (file.number < 0 || ::fstat(file.number, &status) != 0) {
    return Fail(ErrnoError(errno, Named("open", path)));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_bytes) {
    return Fail(ErrorCode::kResourceExhausted,
                "the file " + Quoted(path.native(), kNameBytesShown) + " has " +
                    HumanBytes(double(size)) + ", but at most " + HumanBytes(double(max_bytes)) +
                    " can be read into memory");
  }
  std::string content;
  // Reads until the end instead of using the size of fstat(), because pipes and /proc files report
  // size 0.
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::size_t filled = 0;
  while (filled <= max_bytes) {
    content.resize(filled + (filled < size ? std::size_t(size) - filled : 0) + kStep);
    const ssize_t count = ::read(file.number, content.data() + filled, content.size() - filled);
    if (count < 0) {
      if (errno == EINTR) continue;
      return Fail(ErrnoError(errno, Named("read", path)));
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  if (filled > max_bytes) {
    return Fail(ErrorCode::kResourceExhausted,
                "the file " + Quoted(path.native(), kNameBytesShown) + " has more than " +
                    HumanBytes(double(max_bytes)) + ", the maximum that can be read into memory");
  }
  content.resize(filled);
  return content;
}

Result<void> CreateDirectories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Fail(ErrnoError(error.value(), Named("create directory", path)));
  if (!std::filesystem::is_directory(path, error)) {
    return Fail(ErrorCode::kAlreadyExists,
                Named("cannot create directory", path) + ": a file with this name exists");
  }
  return {};
}

}  // namespace cboard
