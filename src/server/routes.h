// What each path answers. Without sockets, so that tests just call it.
//
//   /healthz                                       is the server alive
//   /api/v1/runs                                   all runs, and what is wrong with the directory
//   /api/v1/tags?run=                              what a run holds
//   /api/v1/scalars?run=&tag=&max_points=1000      points, fewer than there are if need be
//   /api/v1/comparison                             models, variants, metrics, ratios, AURORA
//   everything else                                the files of the page
#pragma once

#include "cboard/server/http_message.h"
#include "server/log_store.h"
#include "server/url.h"

namespace cboard {

// What the page shows besides data.
struct BoardLook {
  std::string window_title = "Compression Board";
  std::string logdir = {};
};

// `target.path` begins with '/'. Fails with kNotFound when there is nothing.
Result<HttpResponse> Route(const Target& target, const LogSnapshot& snapshot,
                           const BoardLook& look);

}  // namespace cboard
