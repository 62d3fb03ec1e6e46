// Random input for TensorBoard's routes: keys, requests for hyperparameters, forms, Markdown. Any
// bytes give a value or an Error; keys read back unchanged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/base/check.h"
#include "server/content/markdown.h"
#include "server/tensorboard/blob_key.h"
#include "server/tensorboard/form_body.h"
#include "server/tensorboard/hparams_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard::server::tensorboard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto key = DecodeBlobKey(text)) {
    const auto again = DecodeBlobKey(EncodeBlobKey(*key));
    CBOARD_CHECK(again && *again == *key);
  }
  (void)ParseExperimentRequest(text);
  (void)ParseSessionGroupsRequest(text);
  (void)ParseMetricEvalsRequest(text);
  (void)ParseForm("application/x-www-form-urlencoded", text);
  (void)ParseForm("multipart/form-data; boundary=B", text);
  CBOARD_CHECK(cboard::server::MarkdownToSafeHtml(text).find("<script") == std::string::npos);
  return 0;
}
