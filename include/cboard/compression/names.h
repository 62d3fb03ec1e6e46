// Names of models and variants as directories and as parts of tags.
//
// A name comes from a user's file and may hold anything: slashes, "..", bytes that are not UTF-8,
// a megabyte of text. The paths made here stay inside the directory they are appended to.
#pragma once

#include <string>
#include <string_view>

namespace cboard::compression {

// `name` as the name of one directory. Usual names stay as they are. Control characters, '/', '\',
// '%', ':', a leading '.', and bytes that are not UTF-8 become %XX; the empty name becomes "%".
// Beyond kMaxNameBytes the rest is replaced by "%~" and 16 digits that depend on the whole name.
//
//   DirectoryNameOf("resnet18")          resnet18
//   DirectoryNameOf("facebook/opt-6.7b") facebook%2Fopt-6.7b
//   DirectoryNameOf("..")                %2E.
std::string DirectoryNameOf(std::string_view name);

// The name that DirectoryNameOf was given. For a shortened name, the directory name itself: the
// full name is in the text <model>/metadata/info.
std::string NameOfDirectory(std::string_view directory);

// `model` as the first part of a tag: as it is, slashes included, when that is harmless, else
// DirectoryNameOf(model). Harmless means: valid UTF-8 without control characters, at most
// kMaxNameBytes long, and no part between slashes is empty, "." or "..".
std::string TagPrefixOf(std::string_view model);

// Linux allows 255 bytes; the rest is room for what is appended.
inline constexpr std::size_t kMaxNameBytes = 200;

}  // namespace cboard::compression
