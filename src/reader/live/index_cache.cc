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
#include "reader/index/populate.h"

namespace cboard::reader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "CBCACHE2";  // The last digit is the version.
constexpr std::size_t kTrailerBytes = 40;
constexpr std::size_t kEntryBytes = 80;  // Without the path.
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

// The trailer of a cache, if it is one: it holds, and its parts lie in the cache.
struct Trailer {
  std::uint64_t structures_offset = 0;
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_bytes = 0;
  std::uint32_t directory_crc = 0;
};

std::optional<Trailer> TrailerOf(ByteSpan cache) {
  if (cache.size() < kTrailerBytes) return std::nullopt;
  const ByteSpan bytes = cache.last(kTrailerBytes);
  if (AsText(bytes.first(8)) != kMagic) return std::nullopt;
  if (LoadLittleEndian<std::uint32_t>(bytes.subspan(36)) != ComputeCrc32c(bytes.first(36))) {
    return std::nullopt;
  }
  const Trailer trailer{.structures_offset = LoadLittleEndian<std::uint64_t>(bytes.subspan(8)),
                        .directory_offset = LoadLittleEndian<std::uint64_t>(bytes.subspan(16)),
                        .directory_bytes = LoadLittleEndian<std::uint64_t>(bytes.subspan(24)),
                        .directory_crc = LoadLittleEndian<std::uint32_t>(bytes.subspan(32))};
  const std::uint64_t room = cache.size() - kTrailerBytes;
  if (trailer.directory_offset > room || trailer.structures_offset > trailer.directory_offset ||
      trailer.directory_bytes != room - trailer.directory_offset) {
    return std::nullopt;
  }
  return trailer;
}

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
  if (const std::optional<Trailer> trailer = TrailerOf(bytes)) {
    Populate(bytes.subspan(trailer->structures_offset));  // Without it there are page faults.
  }
  return Parse(bytes, std::move(file));
}

std::shared_ptr<const IndexCache> IndexCache::Parse(ByteSpan bytes,
                                                    std::shared_ptr<const void> owner) {
  const std::optional<Trailer> trailer = TrailerOf(bytes);
  if (!trailer) return nullptr;
  const ByteSpan directory = bytes.subspan(trailer->directory_offset, trailer->directory_bytes);
  if (trailer->directory_crc != ComputeCrc32c(directory)) return nullptr;
  const ByteSpan columns = bytes.first(trailer->structures_offset);
  const ByteSpan structures =
      bytes.subspan(columns.size(), trailer->directory_offset - columns.size());
  const std::shared_ptr<IndexCache> cache(new IndexCache());
  cache->owner_ = std::move(owner);
  if (!cache->ParseDirectory(directory, columns, structures)) return nullptr;
  return cache;
}

bool IndexCache::ParseDirectory(ByteSpan directory, ByteSpan columns, ByteSpan structures) {
  entries_.reserve(directory.size() / (2 * kEntryBytes));
  while (!directory.empty()) {
    if (directory.size() < kEntryBytes) return false;
    const auto number = [&](std::size_t index) {
      return LoadLittleEndian<std::uint64_t>(directory.subspan(index * 8));
    };
    const auto piece = [&](ByteSpan of, std::size_t index) -> std::optional<ByteSpan> {
      const std::uint64_t offset = number(index), size = number(index + 1);
      if (offset > of.size() || size > of.size() - offset) return std::nullopt;
      return of.subspan(offset, size);
    };
    StoredIndex stored;
    stored.status.id = {static_cast<dev_t>(number(0)), static_cast<ino_t>(number(1))};
    stored.status.size_bytes = number(2);
    stored.status.modified_ns = static_cast<std::int64_t>(number(3));
    stored.read_bytes = number(4);
    const std::optional<ByteSpan> points = piece(columns, 5), structure = piece(structures, 7);
    if (!points || !structure) return false;
    stored.encoded = {*structure, *points};
    stored.tail_crc = LoadLittleEndian<std::uint32_t>(directory.subspan(72));
    const auto path_bytes = LoadLittleEndian<std::uint32_t>(directory.subspan(76));
    const std::uint64_t entry_bytes = RoundUp(kEntryBytes + std::uint64_t{path_bytes}, 8);
    if (entry_bytes > directory.size()) return false;
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
  const auto& [structure, columns] = index.encoded;
  CBOARD_RETURN_IF_ERROR(file_->Write(columns));
  const std::array<std::byte, kAlignment> zeros = {};
  const std::uint64_t end = offset_ + columns.size();
  const std::uint64_t next = RoundUp(end, kAlignment);
  CBOARD_RETURN_IF_ERROR(file_->Write(ByteSpan(zeros).first(next - end)));

  Append(std::uint64_t{index.status.id.device}, directory_);
  Append(std::uint64_t{index.status.id.inode}, directory_);
  Append(index.status.size_bytes, directory_);
  Append(index.status.modified_ns, directory_);
  Append(index.read_bytes, directory_);
  Append(offset_, directory_);
  Append(std::uint64_t{columns.size()}, directory_);
  Append(std::uint64_t{structures_.size()}, directory_);
  Append(std::uint64_t{structure.size()}, directory_);
  Append(index.tail_crc, directory_);
  Append(static_cast<std::uint32_t>(file.size()), directory_);
  directory_ += file;
  directory_.resize(RoundUp(directory_.size(), 8));
  structures_ += AsText(structure);
  structures_.resize(RoundUp(structures_.size(), 8));
  offset_ = next;
  return {};
}

Result<void> IndexCacheWriter::Finish() {
  std::string trailer(kMagic);
  Append(offset_, trailer);
  Append(offset_ + structures_.size(), trailer);
  Append(std::uint64_t{directory_.size()}, trailer);
  Append(ComputeCrc32c(AsBytes(directory_)), trailer);
  Append(ComputeCrc32c(AsBytes(trailer)), trailer);
  for (const std::string* part : {&structures_, &directory_, &trailer}) {
    CBOARD_RETURN_IF_ERROR(file_->Write(AsBytes(*part)));
  }
  if (::rename(file_->path().c_str(), path_.c_str()) != 0) {
    return Fail(ErrnoError(errno, "replace " + Quoted(path_.native(), 300)));
  }
  file_.reset();
  return {};
}

}  // namespace cboard::reader
