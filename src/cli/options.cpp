#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace echo::cli {

void Options::argument(std::string& target, const std::string& name, const std::string& help) {
  app_.add_option(name, target, help)->required();
  declared_.push_back({.kind = DeclaredOption::Kind::argument, .names = name, .help = help});
}
void Options::arguments(std::vector<std::string>& target, const std::string& name, const std::string& help) {
  app_.add_option(name, target, help)->required();
  declared_.push_back({.kind = DeclaredOption::Kind::arguments, .names = name, .help = help});
}
void Options::optional_argument(std::string& target, const std::string& name, const std::string& help) {
  app_.add_option(name, target, help);
  declared_.push_back({.kind = DeclaredOption::Kind::optional_argument, .names = name, .help = help});
}
void Options::flag(bool& target, const std::string& names, const std::string& help) {
  app_.add_flag(names, target, help);
  declared_.push_back({.kind = DeclaredOption::Kind::flag, .names = names, .help = help});
}
void Options::value(std::string& target, const std::string& names, const std::string& help) {
  app_.add_option(names, target, help)->capture_default_str();
  declared_.push_back({.kind = DeclaredOption::Kind::value, .names = names, .help = help, .initial = target});
}
void Options::value(std::int64_t& target, const std::string& names, const std::string& help) {
  app_.add_option(names, target, help)->check(CLI::NonNegativeNumber)->capture_default_str();
  declared_.push_back(
      {.kind = DeclaredOption::Kind::value, .names = names, .help = help, .initial = std::to_string(target)});
}
void Options::values(std::vector<std::string>& target, const std::string& names, const std::string& help) {
  app_.add_option(names, target, help)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  declared_.push_back({.kind = DeclaredOption::Kind::values, .names = names, .help = help});
}
void Options::choice(std::string& target, const std::string& names,
                     std::initializer_list<const char*> allowed, const std::string& help) {
  const std::vector<std::string> words(allowed.begin(), allowed.end());
  app_.add_option(names, target, help)->check(CLI::IsMember(words))->capture_default_str();
  const auto kind =
      names.front() == '-' ? DeclaredOption::Kind::value : DeclaredOption::Kind::optional_argument;
  declared_.push_back({.kind = kind, .names = names, .help = help, .allowed = words, .initial = target});
}

}  // namespace echo::cli
