#include "writer/unsent_folder.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "writer/event_file.h"
#include "writer/partial_record.h"

namespace cboard::writer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTargetFile = "target";
constexpr std::string_view kLockFile = "lock";

std::string EncodeTarget(const StoreTarget& target) {
  return target.run.text() + "\n" + target.options.endpoint + "\n" + target.options.region + "\n" +
         (target.options.path_style ? "path" : "host") + "\n";
}

Result<StoreTarget> DecodeTarget(const std::string& text) {
  const std::vector<std::string_view> lines = Split(text, '\n');
  if (lines.size() < 4)
    return Fail(
        ErrorCode::kDataLoss,
        "the file that names the bucket of unsent events is damaged: it must have four lines");
  CBOARD_ASSIGN_OR_RETURN(object_store::ObjectUrl run, object_store::ParseObjectUrl(lines[0]));
  object_store::StoreOptions options = object_store::StoreOptions::FromEnvironment(run);
  options.endpoint = lines[1];
  options.region = lines[2];
  options.path_style = lines[3] == "path";
  return StoreTarget{std::move(run), std::move(options)};
}

bool IsEventFile(const fs::path& path) {
  return path.filename().native().find("tfevents") != std::string::npos;
}

}  // namespace

Result<StoreTarget> StoreTarget::Of(const fs::path& address) {
  CBOARD_ASSIGN_OR_RETURN(object_store::ObjectUrl run,
                          object_store::ParseObjectUrl(address.native()));
  object_store::StoreOptions options = object_store::StoreOptions::FromEnvironment(run);
  return StoreTarget{std::move(run), std::move(options)};
}

std::string StoreTarget::store_name() const {
  return run.scheme + "://" + run.bucket + "\n" + options.endpoint + "\n" + options.region;
}

std::string StoreTarget::KeyOf(const std::string& name) const {
  return run.prefix.empty() ? name : run.prefix + "/" + name;
}

Result<fs::path> UnsentRoot(const fs::path& configured) {
  if (!configured.empty()) return configured;
  for (const auto& [variable, below] :
       {std::pair{"XDG_STATE_HOME", ""}, std::pair{"HOME", ".local/state"}}) {
    const char* const base = std::getenv(variable);
    if (base != nullptr && *base != '\0') {
      return fs::path(base) / below / "compression-board" / "unsent";
    }
  }
  return Fail(ErrorCode::kFailedPrecondition,
              "there is no folder on this machine for events that are not yet stored in the "
              "bucket; set HOME or XDG_STATE_HOME");
}

Result<UnsentFolder> UnsentFolder::Create(const fs::path& root, StoreTarget target) {
  constexpr int kMaxTries = 16;
  CBOARD_RETURN_IF_ERROR(CreateDirectories(root));
  std::random_device random;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    std::array<char, 16> unique;
    std::snprintf(unique.data(), unique.size(), "%08x", static_cast<unsigned>(random()));
    const fs::path path =
        root / (HostName() + "." + std::to_string(::getpid()) + "." + unique.data());
    std::error_code failed;
    if (!fs::create_directory(path, failed)) continue;
    fs::permissions(path, fs::perms::owner_all, failed);
    CBOARD_ASSIGN_OR_RETURN(std::optional<FileLock> lock, FileLock::TryTake(path / kLockFile));
    if (!lock) continue;  // Another process has taken the folder as an abandoned one.
    CBOARD_RETURN_IF_ERROR(WriteFileAtomically(path / kTargetFile, EncodeTarget(target)));
    return UnsentFolder(path, std::move(target), *std::move(lock));
  }
  return Fail(ErrorCode::kUnavailable, "cannot create a folder for unsent events in " +
                                           Quoted(root.native(), 300) +
                                           "; set XDG_STATE_HOME to a folder with write access");
}

std::vector<UnsentFolder> UnsentFolder::TakeAbandoned(const fs::path& root) {
  std::vector<UnsentFolder> found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, failed)) {
    // Skips folders of other machines: locks on a shared file system are not reliable.
    if (!entry.path().filename().native().starts_with(HostName() + ".")) continue;
    if (!fs::exists(entry.path() / kTargetFile, failed)) continue;  // The folder is being created.
    Result<std::optional<FileLock>> lock = FileLock::TryTake(entry.path() / kLockFile);
    if (!lock || !*lock) continue;
    Result<StoreTarget> target =
        DecodeTarget(ReadFile(entry.path() / kTargetFile, 1 << 16).value_or(""));
    if (target) found.push_back({entry.path(), *std::move(target), **std::move(lock)});
  }
  return found;
}

Result<void> UnsentFolder::Send(object_store::ObjectStore& store) const {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, failed)) {
    if (IsEventFile(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    CBOARD_ASSIGN_OR_RETURN(std::string bytes, ReadFile(file));
    bytes.resize(bytes.size() - PartialRecordBytes(AsBytes(bytes), bytes.size()));
    const std::string key = target_.KeyOf(file.filename().string());
    CBOARD_ASSIGN_OR_RETURN(const auto stored, store.ListAll(key));
    // Compares with >=, because a power failure may have made the local file shorter than the
    // stored file.
    const bool is_stored = std::ranges::any_of(stored, [&](const auto& object) {
      return object.key == key && object.size >= bytes.size();
    });
    if (!is_stored) CBOARD_RETURN_IF_ERROR(store.Put(key, bytes));
    fs::remove(file, failed);
  }
  Remove();
  return {};
}

void UnsentFolder::Remove() const {
  std::error_code failed;
  // Removes the target file first: without it, no other process sends the rest of the folder.
  fs::remove(path_ / kTargetFile, failed);
  fs::remove_all(path_, failed);
}

}  // namespace cboard::writer
