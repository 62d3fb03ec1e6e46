// Validators: a short text that is equal when the content is.
#pragma once

#include <string>
#include <string_view>

#include "cboard/server/http_message.h"

namespace cboard::server {

// A hash of the bytes, as text without quotes. Not for secrets: the author of the bytes can produce
// two contents with the same hash, and would then see a stale copy of that content.
std::string EtagOf(std::string_view bytes);

// An entity tag from a file, its modification time and a position in it.
std::string EtagOf(const FileSlice& slice);

// Whether an If-None-Match header names `etag` (without quotes): "*", or a list of quoted texts,
// weak ones included.
bool NamesEtag(std::string_view if_none_match, std::string_view etag);

}  // namespace cboard::server
