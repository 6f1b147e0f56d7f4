// A catalog and sweeps in a folder of their own: presets as the project ships them, and plain made-up
// constants, so that these tests do not depend on what was fitted last.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collective/constants.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "kernels/constants.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::support {

namespace fs = std::filesystem;

inline void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

inline std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All that tests of these presets say: clusters that they do not name, and that no GPU has by itself, cost a
// quarter of the time of reading the catalog, which counts under sanitizers.
inline const std::string& words_of_tests() {
  static const std::string words = [] {
    std::string all;
    for (const auto& file : fs::directory_iterator(fs::path(support::source_dir()) / "tests/unit/config"))
      all += text_of(file);
    return all;
  }();
  return words;
}

class TempCatalog {
 public:
  TempCatalog() : root_(fs::temp_directory_path() / ("echo-config-test-" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    const fs::path source = fs::path(support::source_dir()) / "sweeps" / "catalog";
    for (const char* kind : {"gpus", "models", "clusters", "memory_tiers", "nics", "switches", "fabrics",
                             "frameworks", "recipes", "settings"}) {
      fs::create_directories(folder() / kind);
      fs::copy(source / kind, folder() / kind);
    }
    if (support::is_sanitized)
      for (const auto& file : fs::directory_iterator(source / "clusters"))
        if (const std::string name = file.path().stem().string();
            !name.starts_with("generic-") && words_of_tests().find(name) == std::string::npos)
          fs::remove(folder() / "clusters" / file.path().filename());
    fs::copy(source / "aliases.toml", folder() / "aliases.toml");
    std::string kernels, networks;
    for (const auto& field : kernels::kernel_constant_fields())
      kernels += std::string(field.name) + " = 1.0\n";
    for (const auto& field : collective::network_constant_fields())
      networks += std::string(field.name) + " = 1.0\n";
    for (const auto& file : fs::directory_iterator(source / "kernels"))
      constants("kernels", file.path().stem().string(), kernels);
    for (const auto& file : fs::directory_iterator(source / "networks"))
      constants("networks", file.path().stem().string(), networks);
    ::setenv("ECHO_CATALOG_DIR", folder().c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (root_ / "config").c_str(), 1);  // not the presets of who runs the test
  }
  TempCatalog(const TempCatalog&) = delete;
  TempCatalog& operator=(const TempCatalog&) = delete;
  ~TempCatalog() {
    ::unsetenv("ECHO_CATALOG_DIR");
    ::unsetenv("XDG_CONFIG_HOME");
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  [[nodiscard]] fs::path folder() const { return root_ / "catalog"; }
  [[nodiscard]] fs::path root() const { return root_; }
  [[nodiscard]] std::string sweep(const std::string& text, const std::string& name = "sweep.toml") const {
    write_file(root_ / "sweeps" / name, text);
    return (root_ / "sweeps" / name).string();
  }
  // "line:column what" of every problem of a sweep file, in the order reported.
  [[nodiscard]] std::vector<std::string> problems(const std::string& text) const {
    return told([&] { (void)config::read_sweep(sweep(text)); });
  }
  template <class Reading>
  static std::vector<std::string> told(Reading&& reading) {
    std::vector<std::string> lines;
    try {
      reading();
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems()) {
        lines.push_back(std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) +
                        " " + problem.what + " | " + problem.remedy);
      }
    }
    return lines;
  }

 private:
  void constants(const char* kind, const std::string& name, const std::string& values) {
    write_file(
        folder() / kind / (name + ".toml"),
        "name = \"" + name + "\"\nsource = \"made up\"\ndate = \"2000-01-01\"\n[constants]\n" + values);
  }
  fs::path root_;
};

}  // namespace echo::support
