#include "reader/live/index_cache.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "cboard/base/strings.h"
#include "cboard/record/crc32c.h"
#include "reader/live/private_directory.h"

namespace cboard::reader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "CBCACHE4";  // The last digit is the version of the format.
constexpr std::size_t kTrailerBytes = 40;
constexpr std::size_t kEntryBytes = 96;  // The size of an entry without its path.
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

// The trailer of a cache file, which contains the positions of its parts.
struct Trailer {
  std::uint64_t structures_offset = 0;
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_bytes = 0;
  std::uint32_t directory_crc = 0;
};

// Reads the trailer from `bytes`, which are the last bytes of a cache of `cache_bytes` bytes.
// Returns nullopt if the checksum is wrong or a part is outside the file.
std::optional<Trailer> TrailerOf(ByteSpan bytes, std::uint64_t cache_bytes) {
  if (bytes.size() < kTrailerBytes) return std::nullopt;
  bytes = bytes.last(kTrailerBytes);
  if (AsText(bytes.first(8)) != kMagic) return std::nullopt;
  if (LoadLittleEndian<std::uint32_t>(bytes.subspan(36)) !=
      record::ComputeCrc32c(bytes.first(36))) {
    return std::nullopt;
  }
  const Trailer trailer{.structures_offset = LoadLittleEndian<std::uint64_t>(bytes.subspan(8)),
                        .directory_offset = LoadLittleEndian<std::uint64_t>(bytes.subspan(16)),
                        .directory_bytes = LoadLittleEndian<std::uint64_t>(bytes.subspan(24)),
                        .directory_crc = LoadLittleEndian<std::uint32_t>(bytes.subspan(32))};
  const std::uint64_t room = cache_bytes - kTrailerBytes;
  if (trailer.directory_offset > room || trailer.structures_offset > trailer.directory_offset ||
      trailer.directory_bytes != room - trailer.directory_offset) {
    return std::nullopt;
  }
  return trailer;
}

// True if the file belongs to this user, and no other user can write to it.
bool IsPrivateFile(const File& file) {
  struct stat status;
  return ::fstat(file.descriptor(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

// An open cache file. It reserves memory for columns at fixed addresses from the beginning, but the
// system allocates this memory only when columns are loaded.
class CacheFile final : public ColumnSource {
 public:
  // Opens a cache. Returns null if the file is not a valid cache.
  static std::shared_ptr<const CacheFile> Open(const fs::path& path) {
    Result<File> file = File::OpenForReading(path);
    if (!file || !IsPrivateFile(*file)) return nullptr;
    const std::uint64_t size = file->Size().value_or(0);
    std::array<std::byte, kTrailerBytes> last;
    if (size < last.size() || file->ReadAt(size - last.size(), last) != last.size()) return nullptr;
    const std::optional<Trailer> trailer = TrailerOf(last, size);
    if (!trailer) return nullptr;
    const std::shared_ptr<CacheFile> cache(new CacheFile(*std::move(file)));
    if (!cache->Reserve(static_cast<std::size_t>(trailer->structures_offset))) return nullptr;
    cache->rest_bytes_ = static_cast<std::size_t>(size - trailer->structures_offset);
    cache->rest_ = std::make_unique_for_overwrite<std::byte[]>(cache->rest_bytes_);
    const MutableByteSpan rest(cache->rest_.get(), cache->rest_bytes_);
    if (cache->file_.ReadAt(trailer->structures_offset, rest) != rest.size()) return nullptr;
    return cache;
  }
  ~CacheFile() override {
    if (!columns_.empty()) ::munmap(columns_.data(), columns_.size());
  }
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  ByteSpan columns() const { return columns_; }
  ByteSpan rest() const { return {rest_.get(), rest_bytes_}; }  // After the columns.

  MutableByteSpan Room(ByteSpan columns) const override {
    return columns_.subspan(static_cast<std::size_t>(columns.data() - columns_.data()),
                            columns.size());
  }
  bool Fetch(ByteSpan columns) const override {
    const auto offset = static_cast<std::uint64_t>(columns.data() - columns_.data());
    return columns.empty() || file_.ReadAt(offset, Room(columns)) == columns.size();
  }
  void NoteDamage() const override { is_damaged_ = true; }
  bool is_damaged() const { return is_damaged_; }

 private:
  explicit CacheFile(File file) : file_(std::move(file)) {}

  bool Reserve(std::size_t bytes) {
    if (bytes == 0) return true;
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    columns_ = {static_cast<std::byte*>(memory), bytes};
    return true;
  }

  File file_;
  MutableByteSpan columns_;
  std::unique_ptr<std::byte[]> rest_;
  std::size_t rest_bytes_ = 0;
  mutable std::atomic<bool> is_damaged_ = false;
};

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
  // The file name is a FNV-1a hash. If two sets of log directories have the same hash, they replace
  // each other's cache. Their entries cannot be confused, because entries have full paths.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::string& path : paths) {
    for (const char c : path + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::array<char, 32> name;
  std::snprintf(name.data(), name.size(), "index-%016llx", static_cast<unsigned long long>(hash));
  return directory / name.data();
}

std::shared_ptr<const IndexCache> IndexCache::Open(const fs::path& path) {
  std::shared_ptr<const CacheFile> file = CacheFile::Open(path);
  if (!file) return nullptr;
  return Parse(file->columns(), file->rest(), file, file.get());
}

std::shared_ptr<const IndexCache> IndexCache::Parse(ByteSpan bytes,
                                                    std::shared_ptr<const void> owner) {
  const std::optional<Trailer> trailer = TrailerOf(bytes, bytes.size());
  if (!trailer) return nullptr;
  return Parse(bytes.first(trailer->structures_offset), bytes.subspan(trailer->structures_offset),
               std::move(owner), nullptr);
}

std::shared_ptr<const IndexCache> IndexCache::Parse(ByteSpan columns, ByteSpan rest,
                                                    std::shared_ptr<const void> owner,
                                                    const CacheFile* file) {
  const std::optional<Trailer> trailer = TrailerOf(rest, columns.size() + rest.size());
  if (!trailer || trailer->structures_offset != columns.size()) return nullptr;
  const ByteSpan structures = rest.first(trailer->directory_offset - columns.size());
  const ByteSpan directory = rest.subspan(structures.size(), trailer->directory_bytes);
  if (trailer->directory_crc != record::ComputeCrc32c(directory)) return nullptr;
  const std::shared_ptr<IndexCache> cache(new IndexCache());
  cache->owner_ = std::move(owner);
  cache->file_ = file;
  if (!cache->ParseDirectory(directory, columns, structures)) return nullptr;
  return cache;
}

bool IndexCache::is_damaged() const { return file_ != nullptr && file_->is_damaged(); }

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
    stored.status.changed_ns = static_cast<std::int64_t>(number(4));
    stored.read_bytes = number(5);
    const std::optional<ByteSpan> points = piece(columns, 6), structure = piece(structures, 8);
    if (!points || !structure) return false;
    stored.encoded = {*structure, *points, file_};
    stored.sample_crc = LoadLittleEndian<std::uint32_t>(directory.subspan(80));
    const auto path_bytes = LoadLittleEndian<std::uint32_t>(directory.subspan(84));
    stored.is_unproven = number(11) != 0;
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
  CBOARD_RETURN_IF_ERROR(MakePrivateDirectory(path.parent_path()));
  CBOARD_ASSIGN_OR_RETURN(File file, File::CreateTemporarySibling(path));
  if (::fchmod(file.descriptor(), S_IRUSR | S_IWUSR) != 0) {
    const int reason = errno;
    ::unlink(file.path().c_str());
    return Fail(
        ErrnoError(reason, "restrict the access rights of " + Quoted(file.path().native(), 300)));
  }
  return IndexCacheWriter(std::move(file), path);
}

IndexCacheWriter::~IndexCacheWriter() {
  if (file_ && file_->descriptor() >= 0) ::unlink(file_->path().c_str());
}

Result<void> IndexCacheWriter::Add(std::string_view file, const StoredIndex& index) {
  if (file.size() > kMaxPathBytes) return {};  // No system has paths of this length.
  const auto& [structure, columns, source] = index.encoded;
  CBOARD_RETURN_IF_ERROR(file_->Write(columns));
  const std::array<std::byte, kAlignment> zeros = {};
  const std::uint64_t end = offset_ + columns.size();
  const std::uint64_t next = RoundUp(end, kAlignment);
  CBOARD_RETURN_IF_ERROR(file_->Write(ByteSpan(zeros).first(next - end)));

  Append(std::uint64_t{index.status.id.device}, directory_);
  Append(std::uint64_t{index.status.id.inode}, directory_);
  Append(index.status.size_bytes, directory_);
  Append(index.status.modified_ns, directory_);
  Append(index.status.changed_ns, directory_);
  Append(index.read_bytes, directory_);
  Append(offset_, directory_);
  Append(std::uint64_t{columns.size()}, directory_);
  Append(std::uint64_t{structures_.size()}, directory_);
  Append(std::uint64_t{structure.size()}, directory_);
  Append(index.sample_crc, directory_);
  Append(static_cast<std::uint32_t>(file.size()), directory_);
  Append(std::uint64_t{index.is_unproven}, directory_);
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
  Append(record::ComputeCrc32c(AsBytes(directory_)), trailer);
  Append(record::ComputeCrc32c(AsBytes(trailer)), trailer);
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
