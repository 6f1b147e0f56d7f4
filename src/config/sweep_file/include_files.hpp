// include = ["site-lab.toml"]: files that a sweep shares with others. They hold presets, and defaults of
// [derive],
// [[keep]] and [[limit]].
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "config/toml/toml_reader.hpp"

namespace echo::config {

struct IncludedFile {
  std::string path;  // as a user of the current folder writes it
  std::string hash;  // XXH3-128 of its bytes, in hex
  toml::table root;
};

// Every file the sweep at `path` includes, directly or through others, each once; a file comes after those
// it includes, and later files take precedence. Paths are relative to the file that names them. A cycle, a
// file that cannot be read and a section allowed only in a sweep are problems.
[[nodiscard]] std::vector<IncludedFile> read_includes(const toml::table& sweep, const std::string& path,
                                                      Problems&);

// The same from texts that were kept: `kept` holds the root of each file under its path.
[[nodiscard]] std::vector<IncludedFile> kept_includes(const toml::table& sweep, const std::string& path,
                                                      const toml::table& kept, Problems&);

// The same of files that a command line names.
[[nodiscard]] std::vector<IncludedFile> read_named_files(const std::vector<std::string>& files, Problems&);

}  // namespace echo::config
