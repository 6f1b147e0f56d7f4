#include "cli/memory_option.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "base/memory_limit.hpp"
#include "config/toml/units.hpp"

namespace echo::cli {

namespace {

constexpr std::int64_t share_of_machine = 4;  // one part of so many

// The folder of this process in the hierarchy of version 2: the line "0::/system.slice/job_1".
std::filesystem::path own_group(const std::filesystem::path& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/")) return line.substr(4);
  return {};
}

}  // namespace

void declare_memory_limit(Options& options, std::string& value) {
  options.value(value, "--max-memory",
                "memory that reading one input may take, as in 8GiB; larger inputs are refused (default: a "
                "quarter of the machine's)");
}

std::int64_t memory_of_machine(const std::filesystem::path& cgroups, const std::filesystem::path& own) {
  std::int64_t least = std::int64_t{::sysconf(_SC_PAGESIZE)} * ::sysconf(_SC_PHYS_PAGES);
  std::filesystem::path group = own_group(own);
  for (bool is_root = false; !is_root; group = group.parent_path()) {
    is_root = group.empty();
    std::ifstream file(cgroups / group / "memory.max");
    std::int64_t bytes = 0;  // the word "max" where there is no limit
    if (file >> bytes && bytes > 0) least = std::min(least, bytes);
  }
  return least;
}

void set_memory_limit_to(const std::string& value) {
  if (value.empty()) return set_memory_limit(memory_of_machine() / share_of_machine);
  config::UnitProblem problem;
  const auto bytes = config::parse_quantity(value, config::UnitKind::bytes, "--max-memory", problem);
  if (!bytes) throw UserError("--max-memory: " + problem.what, problem.remedy);
  if (!(*bytes >= 0x1p20L && *bytes <= 0x1p60L))
    throw UserError("--max-memory: \"" + value + "\" is impossible", "give 1 MiB or more, as in 8GiB");
  set_memory_limit(static_cast<std::int64_t>(*bytes));
}

}  // namespace echo::cli
