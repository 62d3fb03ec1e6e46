#include <glob.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <string>

#include "cboard/base/strings.h"
#include "cboard/reader/log_reader.h"

namespace cboard::reader {
namespace {

namespace fs = std::filesystem;

bool Exists(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

// Returns the home directory of `user`, or of the current user if `user` is empty. Returns an empty
// text if there is none.
std::string HomeDirectoryOf(const std::string& user) {
  if (user.empty()) {
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
    const passwd* entry = ::getpwuid(::getuid());
    return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "";
  }
  const passwd* entry = ::getpwnam(user.c_str());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "";
}

// Expands "~/runs" and "~ann/runs" like a shell. Other paths are unchanged.
std::string ExpandHome(std::string_view path) {
  if (!path.starts_with('~')) return std::string(path);
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string home = HomeDirectoryOf(std::string(path.substr(1, slash - 1)));
  if (home.empty()) return std::string(path);
  return home + std::string(path.substr(slash));
}

// True if the text is a URL such as "s3://bucket/runs", by TensorBoard's rule.
bool IsUri(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0) return false;
  if (std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  return std::ranges::all_of(text.substr(1, end - 1),
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '.'; });
}

// Returns the path. Addresses of buckets, such as "s3://bucket/prefix" and "gs://bucket/prefix",
// are unchanged: the caller reads a local copy.
Result<std::string> PathOrBucket(std::string_view text) {
  if (text.starts_with("s3://") || text.starts_with("gs://")) return std::string(text);
  if (IsUri(text)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the log directory " + Quoted(text, 300) +
                    " is neither a local directory nor an address with s3:// or gs://; copy it to "
                    "this machine or mount it first");
  }
  if (text.find('\0') != std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(text, 300) + " is not a valid path, because it contains a zero byte");
  }
  return ExpandHome(text);
}

// Returns the directories that match a pattern, sorted by path.
Result<std::vector<fs::path>> Matching(const std::string& pattern) {
  glob_t found = {};
  const int outcome = ::glob(pattern.c_str(), GLOB_ONLYDIR, nullptr, &found);
  std::vector<fs::path> paths;
  for (std::size_t i = 0; outcome == 0 && i < found.gl_pathc; ++i) {
    struct stat status;
    if (::stat(found.gl_pathv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
      paths.emplace_back(found.gl_pathv[i]);
    }
  }
  ::globfree(&found);
  if (paths.empty()) {
    return Fail(ErrorCode::kNotFound, "no directory matches the pattern " + Quoted(pattern, 300));
  }
  return paths;
}

std::vector<std::string> PartsOf(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path.lexically_normal()) {
    if (!part.empty()) parts.push_back(part.native());
  }
  return parts;
}

// Names each directory after the last parts of its path. Uses as many parts as are needed to make
// the names unique.
void NameByPath(std::vector<Logdir>& logdirs) {
  std::vector<std::vector<std::string>> parts;
  std::vector<std::size_t> unnamed;
  for (std::size_t i = 0; i < logdirs.size(); ++i) {
    parts.push_back(PartsOf(logdirs[i].path));
    unnamed.push_back(i);
  }
  for (std::size_t depth = 1; !unnamed.empty(); ++depth) {
    std::map<std::string, std::vector<std::size_t>> by_name;
    for (const std::size_t i : unnamed) {
      fs::path name;
      const std::size_t count = std::min(depth, parts[i].size());
      for (std::size_t k = parts[i].size() - count; k < parts[i].size(); ++k) name /= parts[i][k];
      by_name[name.native()].push_back(i);
    }
    unnamed.clear();
    for (const auto& [name, members] : by_name) {
      for (const std::size_t i : members) {
        if (members.size() > 1 && depth < parts[i].size()) {
          unnamed.push_back(i);
        } else {
          logdirs[i].name = name;
        }
      }
    }
  }
}

}  // namespace

Result<std::vector<Logdir>> ParseLogdir(std::string_view text) {
  if (text.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "the path of the log directory is empty; give its path");
  CBOARD_ASSIGN_OR_RETURN(const std::string whole, PathOrBucket(text));
  std::vector<Logdir> logdirs;
  if (Exists(whole)) {
    logdirs.push_back({.name = "", .path = whole});
    return logdirs;
  }
  std::vector<fs::path> paths;
  for (const std::string_view part : Split(text, ',')) {
    if (part.empty()) continue;
    CBOARD_ASSIGN_OR_RETURN(const std::string path, PathOrBucket(part));
    if (!Exists(path) && path.find_first_of("*?[") != std::string::npos) {
      CBOARD_ASSIGN_OR_RETURN(const std::vector<fs::path> matches, Matching(path));
      paths.insert(paths.end(), matches.begin(), matches.end());
    } else {
      paths.emplace_back(path);
    }
  }
  if (paths.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "the value " + Quoted(text, 300) + " contains no log directory; write DIR or DIR,DIR");
  }
  std::map<fs::path, bool> seen;
  for (const fs::path& path : paths) {
    if (seen.emplace(path.lexically_normal(), true).second) {
      logdirs.push_back({.name = "", .path = path});
    }
  }
  if (logdirs.size() > 1) NameByPath(logdirs);
  return logdirs;
}

Result<std::vector<Logdir>> ParseLogdirSpec(std::string_view text) {
  std::vector<Logdir> logdirs;
  for (const std::string_view part : Split(text, ',')) {
    if (part.empty()) continue;
    Logdir logdir;
    std::string_view path = part;
    // "/a:b" is a path; "a:/b:c" is the path "/b:c" with the name "a".
    const std::size_t colon = part.find(':');
    if (colon != std::string_view::npos && !part.starts_with('/') && !IsUri(part)) {
      logdir.name = part.substr(0, colon);
      path = part.substr(colon + 1);
      if (path.empty()) {
        return Fail(ErrorCode::kInvalidArgument,
                    "the log directory called " + Quoted(logdir.name, 300) +
                        " has no path; write " + logdir.name + ":PATH");
      }
    }
    CBOARD_ASSIGN_OR_RETURN(logdir.path, PathOrBucket(path));
    logdirs.push_back(std::move(logdir));
  }
  if (logdirs.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(text, 300) + " contains no named log directory; write NAME:PATH,NAME:PATH");
  }
  return logdirs;
}

}  // namespace cboard::reader
