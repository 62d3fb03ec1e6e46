#include "cboard/writer/run_file.h"

#include <algorithm>
#include <span>

#include "cboard/base/durable_files.h"
#include "cboard/base/file.h"
#include "cboard/object_store/object_store.h"

namespace cboard::writer {
namespace {

using object_store::ObjectStore;

struct OpenObject {
  std::unique_ptr<ObjectStore> store;
  std::string key;
};

Result<OpenObject> Locate(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(const object_store::ObjectUrl url,
                          object_store::ParseObjectUrl(path.native()));
  CBOARD_ASSIGN_OR_RETURN(auto store,
                          ObjectStore::Open(url, object_store::StoreOptions::FromEnvironment(url)));
  return OpenObject{std::move(store), url.prefix};
}

bool IsEventFileName(std::string_view name) {
  return name.find("tfevents") != std::string_view::npos;
}

Result<void> CreateFolderOf(const std::filesystem::path& path, bool durable) {
  const std::filesystem::path folder = path.parent_path();
  return durable ? CreateDirectoriesDurably(folder) : CreateDirectories(folder);
}

}  // namespace

Result<void> WriteRunFile(const std::filesystem::path& path, std::string_view content,
                          bool durable) {
  if (object_store::IsObjectUrl(path.native())) {
    CBOARD_ASSIGN_OR_RETURN(const OpenObject object, Locate(path));
    return object.store->Put(object.key, content);
  }
  if (path.has_parent_path()) CBOARD_RETURN_IF_ERROR(CreateFolderOf(path, durable));
  return durable ? WriteFileDurably(path, content) : WriteFileAtomically(path, content);
}

Result<void> AppendToRunFile(const std::filesystem::path& path, std::string_view content,
                             bool durable) {
  if (object_store::IsObjectUrl(path.native())) {
    constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;
    CBOARD_ASSIGN_OR_RETURN(const OpenObject object, Locate(path));
    Result<std::string> before = object.store->Get(object.key, 0, kMaxBytes);
    if (!before && before.error().code != ErrorCode::kNotFound) return Fail(before.error());
    return object.store->Put(object.key, before.value_or("") + std::string(content));
  }
  CBOARD_RETURN_IF_ERROR(CreateFolderOf(path, durable));
  CBOARD_ASSIGN_OR_RETURN(File file, File::OpenForAppending(path));
  CBOARD_RETURN_IF_ERROR(file.Write(AsBytes(content)));
  if (!durable) return {};
  CBOARD_RETURN_IF_ERROR(SyncFile(file));
  return SyncDirectory(path.parent_path());
}

Result<std::string> ReadRunFile(const std::filesystem::path& path, std::uint64_t max_bytes) {
  if (object_store::IsObjectUrl(path.native())) {
    CBOARD_ASSIGN_OR_RETURN(const OpenObject object, Locate(path));
    return object.store->Get(object.key, 0, max_bytes);
  }
  CBOARD_ASSIGN_OR_RETURN(const File file, File::OpenForReading(path));
  CBOARD_ASSIGN_OR_RETURN(const std::uint64_t size, file.Size());
  std::string content(std::min(size, max_bytes), '\0');
  CBOARD_ASSIGN_OR_RETURN(const std::size_t read,
                          file.ReadAt(0, std::as_writable_bytes(std::span(content))));
  content.resize(read);
  return content;
}

std::vector<std::filesystem::path> EventFilesIn(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> found;
  if (object_store::IsObjectUrl(directory.native())) {
    const Result<OpenObject> folder = Locate(directory);
    if (!folder) return found;
    const std::string prefix = folder->key.empty() ? "" : folder->key + "/";
    const auto objects = folder->store->ListAll(prefix);
    if (!objects) return found;
    for (const object_store::ObjectInfo& object : *objects) {
      const std::string name = object.key.substr(prefix.size());
      if (name.find('/') == std::string::npos && IsEventFileName(name)) {
        found.push_back(directory / name);
      }
    }
    return found;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (IsEventFileName(entry->path().filename().native())) found.push_back(entry->path());
  }
  return found;
}

}  // namespace cboard::writer
