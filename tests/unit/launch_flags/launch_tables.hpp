// The shipped tables of launch settings, for tests.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "config/catalog/launch_file.hpp"
#include "launch_flags/table.hpp"

namespace echo::launch_flags {

inline const std::vector<Table>& shipped_tables() {
  static const std::vector<Table> tables = config::read_launch_tables(config::catalog_folders({}));
  return tables;
}

inline const Table& shipped_table(const std::string& name) {
  for (const Table& table : shipped_tables())
    if (table.name == name) return table;
  throw std::runtime_error("no table of " + name);
}

inline const char* file_name_of(Format format) {
  constexpr const char* names[] = {"job.sh", "job.yaml", "job.toml", "job.json"};
  return names[static_cast<std::size_t>(format)];
}

}  // namespace echo::launch_flags
