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

// The help of `--preset-path,--include`, which commands that read presets have.
inline constexpr const char* preset_path_help =
    "folder of presets searched before the built-in ones, or a file of them, as a sweep includes it";

// An option or argument as its command declared it; the manual page and the shells' completion are made of
// these.
struct DeclaredOption {
  enum class Kind : std::int8_t { argument, arguments, optional_argument, flag, value, values };
  Kind kind = Kind::flag;
  std::string names;                 // "-o,--output"; of arguments "FILE"
  std::string help;                  // one line
  std::vector<std::string> allowed;  // values of a choice; empty: any
  std::string initial;               // the value where it is left out
};

// Every target keeps its value where the option is absent; that value is shown as the default in --help.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}
  [[nodiscard]] const std::vector<DeclaredOption>& declared() const { return declared_; }
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
  std::vector<DeclaredOption> declared_;
};

}  // namespace echo::cli
