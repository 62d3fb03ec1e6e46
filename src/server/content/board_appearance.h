// Settings of the page: title, icon and similar options.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "cboard/server/log_source.h"
#include "server/annotations/annotation_store.h"

namespace cboard::server {

struct BoardAppearance {
  std::string version;
  std::string window_title = "Compression Board";
  std::string path_prefix;  // "/board", or empty.
  std::vector<reader::Logdir> logdirs;
  std::map<std::string, std::size_t, std::less<>> samples_per_plugin;  // See BoardOptions.
  std::function<std::vector<LogSource>()> sources;  // See BoardOptions; may be empty.
  std::shared_ptr<AnnotationStore> annotations;     // Never null.
  bool allow_delete = false;                        // See BoardOptions, also for the next member.
  bool allow_control = false;
  std::string boot_id;  // Identifies this process: ETags of another process are not valid here.
};

}  // namespace cboard::server
