#include "object_store/copy/copied_objects.h"

#include <charconv>

#include "cboard/base/strings.h"
#include "object_store/access/signature.h"
#include "object_store/store/percent_decoded.h"

namespace cboard::object_store {
namespace {

// True for event files, and for the projector's files that writers store in the same directory.
bool IsLogFile(std::string_view name) {
  return name.find("tfevents") != std::string_view::npos || name == "projector_config.pbtxt" ||
         name == "sprite.png" || name.ends_with(".tsv");
}

}  // namespace

std::string EncodeCopiedObjects(const CopiedObjects& objects) {
  std::string text;
  for (const auto& [key, object] : objects) {
    text += std::to_string(object.size) + "\t" + PercentEncoded(object.etag, false) + "\t" +
            PercentEncoded(key, true) + "\n";
  }
  return text;
}

CopiedObjects DecodeCopiedObjects(std::string_view text) {
  CopiedObjects objects;
  for (const std::string_view line : Split(text, '\n')) {
    const std::vector<std::string_view> parts = Split(line, '\t');
    if (parts.size() != 3) continue;
    ObjectInfo object{.key = PercentDecoded(parts[2]), .etag = PercentDecoded(parts[1])};
    const auto read =
        std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), object.size);
    if (read.ec != std::errc() || read.ptr != parts[0].data() + parts[0].size()) continue;
    std::string key = object.key;
    objects.emplace(std::move(key), std::move(object));
  }
  return objects;
}

Result<std::optional<std::filesystem::path>> PathOfKey(std::string_view key,
                                                       std::string_view prefix) {
  if (!key.starts_with(prefix)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the key of the object does not begin with the prefix of the bucket's address");
  }
  const std::string_view rest = key.substr(prefix.size());
  const std::vector<std::string_view> parts = Split(rest, '/');
  if (parts.empty() || !IsLogFile(parts.back())) return std::nullopt;
  std::filesystem::path path;
  for (const std::string_view part : parts) {
    if (part.empty() || part == "." || part == ".." || part.size() > 255 ||
        part.find('\0') != std::string_view::npos) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the key of the object cannot be used as a file path");
    }
    path /= part;
  }
  return path;
}

}  // namespace cboard::object_store
