// Parses any bytes as the value of a header: the results satisfy the promises of the parser.
#include "cboard/base/check.h"
#include "server/http/content_coding.h"
#include "server/http/etag.h"
#include "server/http/host_check.h"
#include "server/http/token.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint64_t content_size = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  const cboard::server::RangeRequest range = cboard::server::ParseRange(text, content_size);
  if (range.kind == cboard::server::RangeKind::kOne) {
    CBOARD_CHECK(range.range.length > 0);
    CBOARD_CHECK(range.range.offset < content_size);
    CBOARD_CHECK(range.range.length <= content_size - range.range.offset);
  }

  cboard::server::AcceptsGzip(text);
  cboard::server::IsCompressible(text);
  CBOARD_CHECK(!cboard::server::NamesEtag(text, "a1") ||
               text.find("\"a1\"") != std::string_view::npos ||
               text.find('*') != std::string_view::npos);

  static const cboard::server::HostCheck kHosts({}, false);
  if (kHosts.Allows(text)) {
    const std::string name = cboard::server::NameOfHost(text);
    CBOARD_CHECK(name == "localhost" || name == "127.0.0.1" || name == "::1");
  }

  static const cboard::server::Token kToken("s3cret");
  CBOARD_CHECK(!kToken.Matches(text) || text == "s3cret");
  const cboard::server::SplitTarget split = cboard::server::TakeToken(text);
  CBOARD_CHECK(split.target.size() <= text.size());
  CBOARD_CHECK(cboard::server::TakeToken(split.target).target == split.target);
  return 0;
}
