// Converts names of models and variants to directory names and to parts of tags.
//
// The names come from files of users and may contain anything: slashes, "..", invalid UTF-8, a
// megabyte of text. The resulting paths stay inside the directory that they are appended to.
#pragma once

#include <string>
#include <string_view>

namespace cboard::compression {

// Returns `name` as the name of one directory. Common names do not change. Control characters, '/',
// '\', '%', ':', a leading '.', and bytes that are not UTF-8 become %XX; the empty name becomes
// "%". Text beyond kMaxNameBytes is replaced by "%~" and 16 digits that depend on the whole name.
//
//   DirectoryNameOf("resnet18")          resnet18
//   DirectoryNameOf("facebook/opt-6.7b") facebook%2Fopt-6.7b
//   DirectoryNameOf("..")                %2E.
std::string DirectoryNameOf(std::string_view name);

// Inverse of DirectoryNameOf. A shortened name cannot be restored, so the directory name is
// returned; the full name is in the text <model>/metadata/info.
std::string NameOfDirectory(std::string_view directory);

// Returns the first part of a tag for `model`: `model` itself, including slashes, if it is a safe
// name, otherwise DirectoryNameOf(model). A safe name is valid UTF-8 without control characters,
// has at most kMaxNameBytes, and no part between slashes is empty, "." or "..".
std::string TagPrefixOf(std::string_view model);

// Maximum length of a name in bytes. Linux allows 255 bytes; the other bytes are for suffixes.
inline constexpr std::size_t kMaxNameBytes = 200;

}  // namespace cboard::compression
