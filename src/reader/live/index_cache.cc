#include "reader/live/index_cache.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>

#include "cboard/base/strings.h"
#include "cboard/record/crc32c.h"

namespace cboard::reader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "CBCACHE1";  // The last digit is the version.
constexpr std::size_t kTrailerBytes = 32;
constexpr std::size_t kEntryBytes = 64;  // Without the path.
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint32_t kMaxPathBytes = 1 << 16;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

template <typename T>
void Append(T value, std::string& out) {
  std::array<std::byte, sizeof(T)> bytes;
  StoreLittleEndian(value, MutableByteSpan(bytes));
  out += AsText(bytes);
}

// A whole file in memory. The file is never written again, only replaced; a shorter one would need
// somebody to truncate it by hand.
class MappedFile {
 public:
  static std::shared_ptr<const MappedFile> Open(const fs::path& path) {
    const Result<File> file = File::OpenForReading(path);
    if (!file) return nullptr;
    const Result<std::uint64_t> size = file->Size();
    if (!size || *size == 0) return nullptr;
    void* data = ::mmap(nullptr, *size, PROT_READ, MAP_PRIVATE, file->descriptor(), 0);
    if (data == MAP_FAILED) return nullptr;
    return std::shared_ptr<const MappedFile>(new MappedFile(data, *size));
  }
  ~MappedFile() { ::munmap(data_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  ByteSpan bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  MappedFile(void* data, std::size_t size) : data_(data), size_(size) {}

  void* data_;
  std::size_t size_;
};

}  // namespace

std::string AbsolutePath(const fs::path& path) {
  std::error_code ignored;
  std::string text = fs::absolute(path, ignored).lexically_normal().native();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

fs::path CachePath(const fs::path& directory, const std::vector<Logdir>& logdirs) {
  std::vector<std::string> paths;
  for (const Logdir& logdir : logdirs) paths.push_back(AbsolutePath(logdir.path));
  std::ranges::sort(paths);
  // FNV-1a. Two sets of directories that share a file only take turns: entries have full paths.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::string& path : paths) {
    for (const char c : path + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::array<char, 32> name;
  std::snprintf(name.data(), name.size(), "index-%016llx", static_cast<unsigned long long>(hash));
  return directory / name.data();
}

std::shared_ptr<const IndexCache> IndexCache::Open(const fs::path& path) {
  std::shared_ptr<const MappedFile> file = MappedFile::Open(path);
  if (!file) return nullptr;
  const ByteSpan bytes = file->bytes();
  return Parse(bytes, std::move(file));
}

std::shared_ptr<const IndexCache> IndexCache::Parse(ByteSpan bytes,
                                                    std::shared_ptr<const void> owner) {
  if (bytes.size() < kTrailerBytes) return nullptr;
  const ByteSpan trailer = bytes.last(kTrailerBytes);
  if (AsText(trailer.first(8)) != kMagic) return nullptr;
  if (LoadLittleEndian<std::uint32_t>(trailer.subspan(28)) != ComputeCrc32c(trailer.first(28))) {
    return nullptr;
  }
  const auto offset = LoadLittleEndian<std::uint64_t>(trailer.subspan(8));
  const auto size = LoadLittleEndian<std::uint64_t>(trailer.subspan(16));
  const std::uint64_t room = bytes.size() - kTrailerBytes;
  if (offset > room || size != room - offset) return nullptr;
  const ByteSpan directory = bytes.subspan(offset, size);
  if (LoadLittleEndian<std::uint32_t>(trailer.subspan(24)) != ComputeCrc32c(directory)) {
    return nullptr;
  }
  const std::shared_ptr<IndexCache> cache(new IndexCache());
  cache->owner_ = std::move(owner);
  cache->bytes_ = bytes;
  if (!cache->ParseDirectory(directory, offset)) return nullptr;
  return cache;
}

bool IndexCache::ParseDirectory(ByteSpan directory, std::uint64_t indexes_end) {
  while (!directory.empty()) {
    if (directory.size() < kEntryBytes) return false;
    const auto number = [&](std::size_t index) {
      return LoadLittleEndian<std::uint64_t>(directory.subspan(index * 8));
    };
    StoredIndex stored;
    stored.status.id = {static_cast<dev_t>(number(0)), static_cast<ino_t>(number(1))};
    stored.status.size_bytes = number(2);
    stored.status.modified_ns = static_cast<std::int64_t>(number(3));
    stored.read_bytes = number(4);
    const std::uint64_t offset = number(5), size = number(6);
    stored.tail_crc = LoadLittleEndian<std::uint32_t>(directory.subspan(56));
    const auto path_bytes = LoadLittleEndian<std::uint32_t>(directory.subspan(60));
    const std::uint64_t entry_bytes = RoundUp(kEntryBytes + std::uint64_t{path_bytes}, 8);
    if (entry_bytes > directory.size()) return false;
    if (offset > indexes_end || size > indexes_end - offset) return false;
    stored.bytes = bytes_.subspan(offset, size);
    entries_.emplace(AsText(directory.subspan(kEntryBytes, path_bytes)), std::move(stored));
    directory = directory.subspan(entry_bytes);
  }
  return true;
}

std::optional<StoredIndex> IndexCache::Find(std::string_view file) const {
  const auto found = entries_.find(file);
  if (found == entries_.end()) return std::nullopt;
  StoredIndex stored = found->second;
  stored.owner = owner_;
  return stored;
}

Result<IndexCacheWriter> IndexCacheWriter::Create(const fs::path& path) {
  CBOARD_RETURN_IF_ERROR(CreateDirectories(path.parent_path()));
  static std::atomic<unsigned> sequence = 0;
  fs::path temporary = path;
  temporary += ".tmp" + std::to_string(::getpid()) + "." + std::to_string(sequence++);
  CBOARD_ASSIGN_OR_RETURN(File file, File::Create(temporary));
  return IndexCacheWriter(std::move(file), path);
}

IndexCacheWriter::~IndexCacheWriter() {
  if (file_ && file_->descriptor() >= 0) ::unlink(file_->path().c_str());
}

Result<void> IndexCacheWriter::Add(std::string_view file, const StoredIndex& index) {
  if (file.size() > kMaxPathBytes) return {};  // No system has such paths.
  CBOARD_RETURN_IF_ERROR(file_->Write(index.bytes));
  const std::array<std::byte, kAlignment> zeros = {};
  const std::uint64_t end = offset_ + index.bytes.size();
  const std::uint64_t next = RoundUp(end, kAlignment);
  CBOARD_RETURN_IF_ERROR(file_->Write(ByteSpan(zeros).first(next - end)));

  Append(std::uint64_t{index.status.id.device}, directory_);
  Append(std::uint64_t{index.status.id.inode}, directory_);
  Append(index.status.size_bytes, directory_);
  Append(index.status.modified_ns, directory_);
  Append(index.read_bytes, directory_);
  Append(offset_, directory_);
  Append(std::uint64_t{index.bytes.size()}, directory_);
  Append(index.tail_crc, directory_);
  Append(static_cast<std::uint32_t>(file.size()), directory_);
  directory_ += file;
  directory_.resize(RoundUp(directory_.size(), 8));
  offset_ = next;
  return {};
}

Result<void> IndexCacheWriter::Finish() {
  std::string trailer(kMagic);
  Append(offset_, trailer);
  Append(std::uint64_t{directory_.size()}, trailer);
  Append(ComputeCrc32c(AsBytes(directory_)), trailer);
  Append(ComputeCrc32c(AsBytes(trailer)), trailer);
  CBOARD_RETURN_IF_ERROR(file_->Write(AsBytes(directory_)));
  CBOARD_RETURN_IF_ERROR(file_->Write(AsBytes(trailer)));
  if (::rename(file_->path().c_str(), path_.c_str()) != 0) {
    return Fail(ErrnoError(errno, "replace " + Quoted(path_.native(), 300)));
  }
  file_.reset();
  return {};
}

}  // namespace cboard::reader
