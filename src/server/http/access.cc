#include "cboard/server/access.h"

#include <algorithm>
#include <chrono>

#include "cboard/base/strings.h"
#include "server/http/content_coding.h"
#include "server/http/guess_limit.h"
#include "server/http/host_check.h"
#include "server/http/token.h"

namespace cboard::server {
namespace {

// Returns the host of an origin: "localhost:6006" for "http://localhost:6006"; empty for "null" and
// anything else.
std::string_view AuthorityOf(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

std::string HtmlAttribute(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("&\"'<>").find(c) == std::string_view::npos) {
      escaped += c;
    } else {
      escaped += "&#" + std::to_string(static_cast<int>(c)) + ";";
    }
  }
  return escaped;
}

class Gate {
 public:
  Gate(AccessOptions options, HttpHandler handler)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        own_hosts_(options_.own_hosts, options_.allow_any_address),
        allowed_hosts_(options_.allowed_hosts),
        token_(options_.token.empty() ? nullptr : std::make_unique<const Token>(options_.token)) {}

  HttpResponse Respond(const HttpRequest& request) const {
    if (!own_hosts_.Allows(request.host) && !allowed_hosts_.IsAllowed(request.host)) {
      return RefuseHost(request);
    }
    if (IsCrossOrigin(request)) {
      HttpResponse response = ErrorResponse(403, "permission_denied",
                                            "a page of another origin may not ask this server");
      response.route = "refused";
      return response;
    }
    return token_ == nullptr ? handler_(request) : RespondIfAuthorized(request);
  }

 private:
  static HttpResponse RefuseHost(const HttpRequest& request) {
    HttpResponse response =
        ErrorResponse(421, "permission_denied",
                      "this server does not answer to the name " + Quoted(request.host) +
                          "; start it with --host or --allowed_host and that name if it should");
    response.route = "refused";
    return response;
  }

  bool IsCrossOrigin(const HttpRequest& request) const {
    const std::string_view origin = request.Header("Origin");
    if (!origin.empty()) {
      const std::string_view authority = AuthorityOf(origin);
      if (!EqualIgnoringCase(authority, request.host) && !allowed_hosts_.IsAllowed(authority))
        return true;
    }
    // The Sec-Fetch-Site header says where a request comes from. Other sites may only link to the
    // board, or embed it if that is allowed.
    const std::string_view site = request.Header("Sec-Fetch-Site");
    if (site != "cross-site" && site != "same-site") return false;
    const std::string_view destination = request.Header("Sec-Fetch-Dest");
    const bool is_page =
        destination == "document" || (destination == "iframe" && options_.allow_frames);
    return request.Header("Sec-Fetch-Mode") != "navigate" || !is_page || request.method != "GET";
  }

  HttpResponse RespondIfAuthorized(const HttpRequest& request) const {
    SplitTarget split = TakeToken(request.target);
    const std::string_view path = std::string_view(split.target).substr(0, split.target.find('?'));
    const bool is_open = std::ranges::find(options_.open_paths, path) != options_.open_paths.end();
    const std::optional<std::string_view> bearer = BearerOf(request);
    // Wrong cookies do not count as guesses: cookies cannot be forged (see Token), and a client
    // with a valid cookie must not be delayed by other clients at the same address.
    if (!split.token && (is_open || HasCookie(request))) return handler_(request);
    if (split.token || bearer) {
      const GuessLimit::Time now = std::chrono::steady_clock::now();
      if (const auto wait = guesses_.WaitBefore(request.client, now)) return TooManyGuesses(*wait);
      if (split.token && token_->Matches(*split.token)) return Welcome(request, std::move(split));
      if (bearer && token_->Matches(*bearer)) return handler_(request);
      guesses_.CountWrong(request.client, now);
      if (is_open || HasCookie(request)) return handler_(request);
    }
    HttpResponse response = ErrorResponse(
        401, "permission_denied",
        split.token || bearer ? "this is not the token that the server was started with"
                              : "this server needs its token: open the page with ?token=… once, or "
                                "send 'Authorization: Bearer …'");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"Compression Board\"");
    response.route = "refused";
    return response;
  }

  static HttpResponse TooManyGuesses(std::chrono::seconds wait) {
    HttpResponse response = ErrorResponse(
        429, "resource_exhausted",
        "too many wrong tokens came from this address; try again in " +
            std::to_string(wait.count()) + " s with the token that the server was started with");
    response.headers.emplace_back("Retry-After", std::to_string(wait.count()));
    response.route = "refused";
    return response;
  }

  static std::optional<std::string_view> BearerOf(const HttpRequest& request) {
    std::string_view authorization = request.Header("Authorization");
    if (!EqualIgnoringCase(TakeUntil(authorization, ' '), "Bearer")) return std::nullopt;
    return Trimmed(authorization);
  }

  bool HasCookie(const HttpRequest& request) const {
    return std::ranges::any_of(request.headers, [&](const auto& header) {
      return EqualIgnoringCase(header.first, "Cookie") && token_->MatchesCookies(header.second);
    });
  }

  // Redirects a browser to the address without the token, so that the token stays out of history
  // and bookmarks. Programs get the response directly.
  HttpResponse Welcome(const HttpRequest& request, SplitTarget split) const {
    HttpResponse response;
    if (request.method == "GET" &&
        request.Header("Accept").find("text/html") != std::string_view::npos) {
      // Refuses "//evil.example" and "/\\evil.example", because they would redirect to another
      // host.
      const std::size_t slashes =
          std::min(split.target.find_first_not_of("/\\"), split.target.size());
      const std::string target = "/" + split.target.substr(slashes);
      response.headers = {{"Cache-Control", "no-store"}};
      response.route = "token";
      if (request.Header("Sec-Fetch-Site") == "cross-site") {
        // A link on another site, or the file that --open writes, leads to this page. Browsers do
        // not send a strict cookie along a redirect that begins elsewhere, so a page of this server
        // forwards the browser.
        response.content_type = "text/html; charset=utf-8";
        response.body = "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=" +
                        HtmlAttribute(target) + "\"><title>Compression Board</title>";
      } else {
        response.status = 303;
        response.headers.emplace_back("Location", target);
      }
    } else {
      HttpRequest stripped = request;
      stripped.target = std::move(split.target);
      response = handler_(stripped);
    }
    const std::string cookie = token_->SetCookie(options_.cookie_path, request.secure);
    if (!response.later) {
      response.headers.emplace_back("Set-Cookie", cookie);
      return response;
    }
    response.later = [later = std::move(response.later), cookie] {
      HttpResponse late = later();
      late.headers.emplace_back("Set-Cookie", cookie);
      return late;
    };
    return response;
  }

  const AccessOptions options_;
  const HttpHandler handler_;
  const HostCheck own_hosts_;
  const HostCheck allowed_hosts_;
  const std::unique_ptr<const Token> token_;  // Null if no token is required.
  mutable GuessLimit guesses_;
};

}  // namespace

HttpHandler Guarded(AccessOptions options, HttpHandler handler) {
  const auto gate = std::make_shared<const Gate>(std::move(options), std::move(handler));
  return [gate](const HttpRequest& request) { return gate->Respond(request); };
}

}  // namespace cboard::server
