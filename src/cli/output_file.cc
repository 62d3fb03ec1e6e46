#include "cli/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "cboard/base/durable_files.h"
#include "cboard/base/strings.h"
#include "cboard/object_store/object_url.h"
#include "cboard/writer/run_file.h"

namespace cboard::cli {

Result<Output> Output::Open(const std::string& path) {
  if (path == "-") return Output(std::nullopt, {});
  if (object_store::IsObjectUrl(path)) {
    CBOARD_RETURN_IF_ERROR(object_store::ParseObjectUrl(path));
    auto folder = std::make_unique<TemporaryFolder>();
    CBOARD_ASSIGN_OR_RETURN(File file, File::Create(folder->path() / "object"));
    Output output(std::move(file), path);
    output.folder_ = std::move(folder);
    return output;
  }
  struct stat status;
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {  // A pipe or a device; opening a directory fails here.
    CBOARD_ASSIGN_OR_RETURN(File file, File::OpenForAppending(path));
    return Output(std::move(file), {});
  }
  CBOARD_ASSIGN_OR_RETURN(File file, File::CreateTemporarySibling(path));
  return Output(std::move(file), path);
}

Output::Output(std::optional<File> file, std::string final_path)
    : file_(std::move(file)), final_path_(std::move(final_path)) {}

Output::~Output() {
  if (!final_path_.empty() && file_ && file_->descriptor() >= 0) ::unlink(file_->path().c_str());
}

Result<void> Output::Write(ByteSpan bytes) {
  if (file_) return file_->Write(bytes);
  std::cout << AsText(bytes);
  if (std::cout) return {};
  return Fail(ErrorCode::kUnavailable,
              "cannot write to standard output; check whether the disk is full");
}

Result<void> Output::Finish() {
  if (final_path_.empty()) return {};
  if (folder_) {
    CBOARD_ASSIGN_OR_RETURN(const std::string content, ReadFile(file_->path()));
    return writer::WriteRunFile(final_path_, content, false);
  }
  if (DurableByDefault()) CBOARD_RETURN_IF_ERROR(SyncFile(*file_));
  if (::rename(file_->path().c_str(), final_path_.c_str()) != 0) {
    return Fail(ErrnoError(errno, "write " + Quoted(final_path_, 300)));
  }
  file_.reset();
  if (DurableByDefault())
    return SyncDirectory(std::filesystem::absolute(final_path_).parent_path());
  return {};
}

}  // namespace cboard::cli
