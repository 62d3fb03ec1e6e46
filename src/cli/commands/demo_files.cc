#include "cli/commands/demo_files.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::cli {
namespace {

namespace fs = std::filesystem;

// Name of the file that lists the files of a demo, one path per line. A log directory with this
// file belongs to a demo.
constexpr std::string_view kList = ".compression-board-demo";
constexpr std::string_view kUnfinished = ".unfinished-demo";

Result<void> Check(const std::error_code& error, std::string_view doing, const fs::path& path) {
  if (!error) return {};
  return Fail(ErrnoError(error.value(), std::string(doing) + " " + Quoted(path.native(), 1000)));
}

Result<std::vector<fs::path>> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator i(folder, error), end; !error && i != end;
       i.increment(error)) {
    if (!i->is_directory(error)) files.push_back(i->path().lexically_relative(folder));
  }
  CBOARD_RETURN_IF_ERROR(Check(error, "read", folder));
  std::ranges::sort(files);
  return files;
}

Result<void> RemoveListed(const fs::path& logdir) {
  std::error_code error;
  if (!fs::exists(logdir / kList, error)) return {};
  CBOARD_ASSIGN_OR_RETURN(const std::string list, ReadFile(logdir / kList));
  for (const std::string_view line : Split(list, '\n')) {
    const fs::path file = fs::path(line).lexically_normal();
    // Ignores paths that lead out of the directory: a user may have edited the file.
    if (line.empty() || file.is_absolute() || *file.begin() == "..") continue;
    fs::remove(logdir / file, error);
    CBOARD_RETURN_IF_ERROR(Check(error, "remove", logdir / file));
    // Removes empty directories; directories with other files stay.
    for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
      if (!fs::remove(logdir / folder, error)) break;
    }
  }
  return {};
}

}  // namespace

Result<fs::path> BeginDemo(const fs::path& logdir) {
  std::error_code error;
  if (fs::exists(logdir, error) && !fs::is_empty(logdir, error) &&
      !fs::exists(logdir / kUnfinished, error)) {
    const bool is_listed = fs::file_size(logdir / kList, error) > 0 && !error;
    if (!is_listed) {
      return Fail(ErrorCode::kAlreadyExists,
                  Quoted(logdir.native(), 1000) +
                      " is not empty and does not belong to a demo; choose another --logdir, or "
                      "delete this directory");
    }
  }
  const fs::path unfinished = logdir / kUnfinished;
  fs::remove_all(unfinished, error);
  CBOARD_RETURN_IF_ERROR(Check(error, "empty", unfinished));
  CBOARD_RETURN_IF_ERROR(CreateDirectories(unfinished));
  return unfinished;
}

Result<void> FinishDemo(const fs::path& logdir) {
  const fs::path unfinished = logdir / kUnfinished;
  CBOARD_ASSIGN_OR_RETURN(const std::vector<fs::path> files, FilesBelow(unfinished));
  CBOARD_RETURN_IF_ERROR(RemoveListed(logdir));
  // Writes the list of files before moving the files, so that the list is complete even after an
  // interruption.
  std::string list;
  for (const fs::path& file : files) list += file.native() + '\n';
  CBOARD_RETURN_IF_ERROR(WriteFileAtomically(logdir / kList, list));
  std::error_code error;
  for (const fs::path& file : files) {
    CBOARD_RETURN_IF_ERROR(CreateDirectories((logdir / file).parent_path()));
    fs::rename(unfinished / file, logdir / file, error);
    CBOARD_RETURN_IF_ERROR(Check(error, "move", unfinished / file));
  }
  fs::remove_all(unfinished, error);
  return Check(error, "remove", unfinished);
}

}  // namespace cboard::cli
