// How often machines fail and what a failure costs: the keys of [reliability] in a sweep and of a preset of
// it, reliability/NAME.toml in the catalog.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "campaign/reliability.hpp"
#include "config/toml/toml_reader.hpp"

namespace echo::config {

// A quantity of [reliability], or of its checkpoint = { ... }.
struct ReliabilityKey {
  std::string_view name;
  UnitKind unit;
  Range range;
  double campaign::Reliability::*member;
  std::string_view help;
};
[[nodiscard]] std::span<const ReliabilityKey> reliability_keys();
[[nodiscard]] std::span<const ReliabilityKey> checkpoint_keys();  // besides `every` and `mode`
inline constexpr std::string_view every_help = "work between two checkpoints, or \"best\" (default)";
inline constexpr std::string_view mode_help =
    "blocking: training waits for the write; async: it waits for the copy to host memory only";
inline constexpr std::string_view spares_help = "nodes that stand by; with repair";

// Reads a table of the keys above, `preset`, `spares` and `checkpoint`; reports each value that is wrong by
// itself, and contradictions between those of this table. What is not there stays as it is in `out`. `what`
// names the table in messages.
void read_reliability(const toml::table&, const std::string& what, Problems&, campaign::Reliability& out);

// A file of the catalog: name, source, date, and a table [reliability] in which every value is
// { value = ..., source = "...", grade = "vendor|measured|assumed" }.
struct ReliabilityFile {
  std::string name;
  campaign::Reliability spec;
};
[[nodiscard]] ReliabilityFile read_reliability_file(TableReader& file);

}  // namespace echo::config
