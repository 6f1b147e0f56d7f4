// Any bytes are a sweep or a list of problems: nothing but UserError comes out of the whole reading path, the
// shared library of toml++ included. The input is the sweep, then, behind bytes of value 1, the file
// "site.toml" that it may include, and --set options.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "tests/fuzz/scratch_catalog.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> parts(1);
  for (const char c : std::string_view(reinterpret_cast<const char*>(data), size)) {
    if (c == '\1') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  using echo::fuzz::write;
  const auto& folder = echo::fuzz::scratch_folder();
  const auto sweep = folder / "sweep.toml";
  write(sweep, parts[0]);
  write(folder / "site.toml", parts.size() > 1 ? parts[1] : "");
  const std::vector<std::string> sets(
      parts.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, parts.size())), parts.end());
  try {
    const auto inputs = echo::config::read_sweep(sweep.string(), {}, sets);
    if (inputs.spec.dimensions.empty() && inputs.spec.groups.empty()) __builtin_trap();
  } catch (const echo::UserError& error) {
    for (const echo::Problem& problem : error.problems()) {
      if (problem.what.empty() || problem.place.line < 0 || problem.place.column < 0) __builtin_trap();
    }
  }
  return 0;
}
