// The max number of points per series that TensorBoard gets, by plugin.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "data_server/sampling/reservoir.h"
#include "data_server/values/tag_class.h"

namespace cboard::data_server {

class SampleLimits {
 public:
  // Parses the value of --samples-per-plugin, such as "scalars=500,images=all"; may be empty. Fails
  // with kInvalidArgument.
  static Result<SampleLimits> Parse(std::string_view text);

  // The defaults: 1,000 scalars, 100 tensors and 10 sequences of blobs.
  Capacity CapacityOf(const TagClass& tag_class) const;

 private:
  std::map<std::string, Capacity, std::less<>> by_plugin_;
};

}  // namespace cboard::data_server
