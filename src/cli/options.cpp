#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace echo::cli {

void Options::argument(std::string& target, const std::string& name, const std::string& help) {
  app_.add_option(name, target, help)->required();
}
void Options::arguments(std::vector<std::string>& target, const std::string& name, const std::string& help) {
  app_.add_option(name, target, help)->required();
}
void Options::optional_argument(std::string& target, const std::string& name, const std::string& help) {
  app_.add_option(name, target, help);
}
void Options::flag(bool& target, const std::string& names, const std::string& help) {
  app_.add_flag(names, target, help);
}
void Options::value(std::string& target, const std::string& names, const std::string& help) {
  app_.add_option(names, target, help)->capture_default_str();
}
void Options::value(std::int64_t& target, const std::string& names, const std::string& help) {
  app_.add_option(names, target, help)->check(CLI::NonNegativeNumber)->capture_default_str();
}
void Options::values(std::vector<std::string>& target, const std::string& names, const std::string& help) {
  app_.add_option(names, target, help)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}
void Options::choice(std::string& target, const std::string& names,
                     std::initializer_list<const char*> allowed, const std::string& help) {
  app_.add_option(names, target, help)
      ->check(CLI::IsMember(std::vector<std::string>(allowed.begin(), allowed.end())))
      ->capture_default_str();
}

}  // namespace echo::cli
