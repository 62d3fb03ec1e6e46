// Errors as values: a Result<T> holds a T, or an Error that says what the caller can do about it.
//
//   Result<int> ParsePort(std::string_view text);
//
//   Result<void> Serve(std::string_view text) {
//     CBOARD_ASSIGN_OR_RETURN(const int port, ParsePort(text));
//     CBOARD_RETURN_IF_ERROR(Listen(port));
//     return {};
//   }
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace cboard {

// Error codes. A code says how the caller can handle a failure. The names of the codes appear in
// JSON, so they are part of the API.
enum class ErrorCode {
  kInvalidArgument,     // Fix the call or the input; a retry does not help.
  kNotFound,            // The named object does not exist (yet).
  kAlreadyExists,       // Choose another name.
  kPermissionDenied,    // Change permissions or choose another path.
  kResourceExhausted,   // Free space, memory or quota, then try again.
  kUnavailable,         // A device or peer failed; trying again later may work.
  kTruncated,           // The data ends early: try again when the file has grown.
  kDataLoss,            // The data is damaged: do not try again.
  kFailedPrecondition,  // Not in this state, for example after Close().
  kInternal,            // A bug, or an unexpected response of the operating system.
};

// Returns the name of an error code in JSON and logs: "invalid_argument".
std::string_view NameOf(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // Says where, what was found and what was expected; no trailing full stop.

  friend bool operator==(const Error&, const Error&) = default;
};

// A value of type T, or an Error. The compiler warns about every call whose Result is ignored. A
// caller that cannot handle a failure assigns the Result to std::ignore, with a comment that gives
// the reason.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // Converts a tl::expected to a Result, because map(), and_then() and or_else() return a
  // tl::expected.
  Result(tl::expected<T, Error> other)  // NOLINT
      : tl::expected<T, Error>(std::move(other)) {}
};

// Two results are equal if both hold equal values or both hold equal errors. This operator is a
// template, so that a comparison with a plain value uses tl::expected's operator.
template <typename T>
[[nodiscard]] bool operator==(const Result<T>& a, const Result<T>& b) {
  if (a.has_value() != b.has_value()) return false;
  if (!a.has_value()) return a.error() == b.error();
  if constexpr (std::is_void_v<T>) {
    return true;
  } else {
    return *a == *b;
  }
}

// Returns an error: `return Fail(ErrorCode::kNotFound, "run 'train' has no scalar 'loss'");`
[[nodiscard]] inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

[[nodiscard]] inline tl::unexpected<Error> Fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

// Returns the error of a failed system call: "cannot open 'x': No such file or directory". `what`
// is the verb and its object ("open 'x'"); `errno_value` gives the reason.
[[nodiscard]] Error ErrnoError(int errno_value, std::string_view what);

// Returns `error` with `where` and a colon in front of its message.
[[nodiscard]] inline Error Annotate(Error error, std::string_view where) {
  error.message.insert(0, std::string(where) + ": ");
  return error;
}

}  // namespace cboard

// This specialization is needed by and_then() and or_else(), which accept only functions that
// return a known "expected" type.
template <typename T>
struct tl::detail::is_expected_impl<cboard::Result<T>> : std::true_type {};

#define CBOARD_CONCAT_INNER_(a, b) a##b
#define CBOARD_CONCAT_(a, b) CBOARD_CONCAT_INNER_(a, b)

#define CBOARD_RETURN_IF_ERROR(expression)                      \
  do {                                                          \
    if (auto cboard_result_ = (expression); !cboard_result_) {  \
      return ::cboard::Fail(std::move(cboard_result_).error()); \
    }                                                           \
  } while (false)

#define CBOARD_ASSIGN_OR_RETURN(declaration, expression) \
  CBOARD_ASSIGN_OR_RETURN_IMPL_(CBOARD_CONCAT_(cboard_result_, __LINE__), declaration, expression)

#define CBOARD_ASSIGN_OR_RETURN_IMPL_(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result) return ::cboard::Fail(std::move(result).error());       \
  declaration = *std::move(result)
