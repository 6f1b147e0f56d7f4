// The tables of launch settings in the catalog (launch/*.toml), and launch files that are TOML.
#pragma once

#include <string>
#include <vector>

#include "base/problems.hpp"
#include "config/toml/toml_reader.hpp"
#include "launch_flags/table.hpp"

namespace echo::config {

// A table: name, title, version, source, grade, framework, format, program; `ignored`, `lists`: keys;
// [spelled], [not_simulated], [fixed]: a text for each key; [[number]] fact, key, absent: a value that passes
// as it is;
// [[flag]] fact, key, absent, opposite: true and false; [[choice]] absent, rows: any other relation
// (launch_flags/table.hpp), each row { facts = { NAME = "VALUE" }, settings = { KEY = "VALUE" } }.
[[nodiscard]] launch_flags::Table read_launch_table(TableReader& file);

// The tables of every folder, each with the relations of launch/nccl.toml, which all frameworks share; sorted
// by name. Where two tables have one name, the earlier folder's wins. Throws UserError with every problem of
// every file.
[[nodiscard]] std::vector<launch_flags::Table> read_launch_tables(const std::vector<std::string>& folders);

// A launch file that is TOML, such as torchtitan's: keys "parallelism.tensor_parallel_degree".
[[nodiscard]] launch_flags::Settings read_toml_settings(const std::string& text, const std::string& file,
                                                        Problems&);

}  // namespace echo::config
