// What all commands share: parsing flags, complaining, quoting.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string_view>

#include "cli/commands.h"
#include "cli/text_table.h"

namespace cboard::cli {
namespace {

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }
  // Without this, defaults and exclusions crowd out the description.
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }

 private:
  std::string usage_;
};

}  // namespace

void SetUsage(CLI::App& app, const std::string& usage) {
  app.formatter(std::make_shared<HelpFormatter>(usage));
}

std::optional<int> ParseFlags(CLI::App& app, Arguments arguments) {
  // CLI11 takes the last argument first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kExitDone;
  } catch (const CLI::ConversionError& error) {
    // CLI11 says "Could not convert: --top = ten", and of what kind it should be, nothing.
    std::string_view flag = error.what();
    if (const std::size_t colon = flag.find(": "); colon != flag.npos)
      flag.remove_prefix(colon + 2);
    Complain("'" + std::string(flag) + "' is not a number that this flag takes");
    std::cerr << "Try '" << app.get_name() << " --help'.\n";
    return kExitUsage;
  } catch (const CLI::ParseError& error) {
    Complain(error.what());
    std::cerr << "Try '" << app.get_name() << " --help'.\n";
    return kExitUsage;
  }
}

void Complain(const std::string& message) {
  std::cout.flush();  // So that results and complaints keep their order on a terminal.
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
