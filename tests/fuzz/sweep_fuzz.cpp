// Any bytes are a sweep or a list of problems: nothing but UserError comes out of the whole reading path, the
// shared library of toml++ included. The input is the sweep, then, behind bytes of value 1, the file
// "site.toml" that it may include, and --set options.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "collective/constants.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "kernels/constants.hpp"
#include "tests/support/source_dir.hpp"

namespace {

namespace fs = std::filesystem;

fs::path& folder() {
  static fs::path path = fs::temp_directory_path() / ("echo-sweep-fuzz-" + std::to_string(::getpid()));
  return path;
}
void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

template <class Fields>
std::string constants(const std::string& name, const Fields& fields) {
  std::string text = "name = \"" + name + "\"\nsource = \"x\"\ndate = \"2000-01-01\"\n[constants]\n";
  for (const auto& field : fields) text += std::string(field.name) + " = 1.0\n";
  return text;
}

// One preset of each kind, as shipped: the catalog is read anew for each input.
void make_catalog() {
  const fs::path catalog = folder() / "catalog";
  for (const char* preset :
       {"gpus/h100-sxm", "models/gpt3-125m", "clusters/dgx-h100-ndr400", "frameworks/megatron-core"}) {
    const std::string file = std::string(preset) + ".toml";
    fs::create_directories((catalog / file).parent_path());
    fs::copy_file(fs::path(echo::support::source_dir()) / "sweeps" / "catalog" / file, catalog / file);
  }
  write(catalog / "kernels" / "h100-sxm.toml",
        constants("h100-sxm", echo::kernels::kernel_constant_fields()));
  write(catalog / "networks" / "default-h100.toml",
        constants("default-h100", echo::collective::network_constant_fields()));
  ::setenv("ECHO_CATALOG_DIR", catalog.c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", (folder() / "none").c_str(), 1);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  make_catalog();
  std::atexit([] {
    std::error_code ignored;
    fs::remove_all(folder(), ignored);
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> parts(1);
  for (const char c : std::string_view(reinterpret_cast<const char*>(data), size)) {
    if (c == '\1') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  const fs::path sweep = folder() / "sweep.toml";
  write(sweep, parts[0]);
  write(folder() / "site.toml", parts.size() > 1 ? parts[1] : "");
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
