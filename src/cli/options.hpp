// The interface by which commands declare their options. Only options.cpp includes CLI11, which takes seconds
// to compile.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace echo::cli {

// A target keeps its value if the option is absent; --help shows that value as the default.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}
  void argument(std::string& target, const std::string& name, const std::string& help);  // required
  void arguments(std::vector<std::string>& target, const std::string& name,
                 const std::string& help);  // one or more
  void optional_argument(std::string& target, const std::string& name,
                         const std::string& help);  // may be left out
  void flag(bool& target, const std::string& names, const std::string& help);
  void value(std::string& target, const std::string& names, const std::string& help);
  void value(std::int64_t& target, const std::string& names, const std::string& help);  // refuses negatives
  void values(std::vector<std::string>& target, const std::string& names,
              const std::string& help);  // repeatable
  void choice(std::string& target, const std::string& names, std::initializer_list<const char*> allowed,
              const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace echo::cli
