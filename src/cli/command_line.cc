// Common code of all commands: parsing flags, error messages, quoting.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>

#include "cboard/base/durable_files.h"
#include "cboard/base/strings.h"
#include "cboard/base/typing_errors.h"
#include "cli/commands.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }
  // Hides defaults and excluded flags in the help, because they would leave no space for the
  // description.
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }

 private:
  std::string usage_;
};

std::string UnknownArgumentText(const CLI::App& app, const std::string& extra) {
  if (!extra.starts_with('-')) return Quoted(extra) + " is one word too many";
  const std::string flag = extra.substr(0, extra.find('='));
  std::string nearest;
  std::size_t least = 3;  // A larger edit distance means another word.
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group().empty()) continue;  // Hidden flags are not suggested.
    for (const std::string& name : option->get_lnames()) {
      const std::size_t errors = TypingErrors(flag, "--" + name);
      if (errors >= least) continue;
      least = errors;
      nearest = "--" + name;
    }
  }
  return "there is no flag " + Quoted(flag) + (nearest.empty() ? "" : "; is it " + nearest + "?");
}

// Replaces CLI11's error messages, because they are hard to understand.
std::string MessageOf(const CLI::App& app, const CLI::ParseError& error) {
  const std::string said = error.what();
  const auto between = [&](std::string_view from, std::string_view to) {
    const std::size_t begin = said.find(from) + from.size();
    return said.substr(begin, said.find(to, begin) - begin);
  };
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // Adds the expected type to CLI11's message, because that message contains only "Could not
    // convert: --top = ten".
    const std::size_t colon = said.find(": ");
    return Quoted(said.substr(colon == said.npos ? 0 : colon + 2)) +
           " is not a number that this flag takes";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string flag = said.substr(0, said.find(": "));
    if (said.ends_with(" missing")) {  // CLI11 says "--logdir: 1 required DIR missing".
      return flag + " needs a " + between(" required ", " missing");
    }
    if (said.find("At Most 1 ") != said.npos) return flag + " may be given only once";
  }
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
    return "cannot read " + Quoted(said.substr(0, said.find(" was not readable"))) +
           "; is it there?";
  }
  const std::vector<std::string> extras = app.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
    return UnknownArgumentText(app, extras.front());
  }
  return said;
}

// Prints the flags of a command, one per line, for shell completion (packaging/completion).
void ListFlags(const CLI::App& app) {
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group().empty()) continue;  // Skips hidden flags.
    for (const std::string& name : option->get_lnames()) std::cout << "--" << name << '\n';
  }
}

}  // namespace

void SetUsage(CLI::App& app, const std::string& usage) {
  app.formatter(std::make_shared<HelpFormatter>(usage));
}

std::optional<int> ParseFlags(CLI::App& app, Arguments arguments) {
  if (arguments.size() == 1 && arguments.front() == "--list-flags") {
    ListFlags(app);
    return kExitDone;
  }
  // CLI11 expects the arguments in reverse order.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::string help = app.help();
    // Removes the extra empty lines of CLI11 between groups and at the end.
    for (std::size_t at; (at = help.find("\n\n\n")) != help.npos;) help.erase(at, 1);
    while (help.ends_with("\n\n")) help.pop_back();
    std::cout << help;
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    PrintError(MessageOf(app, error));
    std::cerr << "Try '" << app.get_name() << " --help'.\n";
    return kExitUsage;
  }
}

void AddFsyncFlag(CLI::App& app) {
  app.add_flag_callback(
      "--fsync", [] { SetDurableByDefault(true); },
      "Exit only after written files are on the disk (fsync), so that\n"
      "they survive a power failure");
}

std::string CheckCount(const std::string& value) {
  return value.starts_with('-') ? Quoted(value) + " is less than 0" : std::string();
}

void PrintError(const std::string& message) {
  std::cout.flush();  // Keeps results and errors in order on a terminal.
  std::cerr << "compression-board: " << Printable(message) << '\n';
}

std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace cboard::cli
