// A folder of this process's own with one preset of each kind that a sweep needs, as shipped, where the
// program looks for its presets; removed at exit.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "collective/constants.hpp"
#include "kernels/constants.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::fuzz {

namespace fs = std::filesystem;

inline void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

template <class Fields>
std::string constants(const std::string& name, const Fields& fields) {
  std::string text = "name = \"" + name + "\"\nsource = \"x\"\ndate = \"2000-01-01\"\n[constants]\n";
  for (const auto& field : fields) text += std::string(field.name) + " = 1.0\n";
  return text;
}

// Made at the first call; "catalog" in it.
inline const fs::path& scratch_folder() {
  static const fs::path folder = [] {
    const fs::path made = fs::temp_directory_path() / ("echo-sweep-fuzz-" + std::to_string(::getpid()));
    const fs::path catalog = made / "catalog";
    for (const char* preset :
         {"gpus/h100-sxm", "models/gpt3-125m", "clusters/dgx-h100-ndr400", "frameworks/megatron-core",
          "memory_tiers/nvme-8x-gen4", "nics/connectx-7", "switches/quantum-2"}) {
      const std::string file = std::string(preset) + ".toml";
      fs::create_directories((catalog / file).parent_path());
      fs::copy_file(fs::path(support::source_dir()) / "sweeps" / "catalog" / file, catalog / file,
                    fs::copy_options::overwrite_existing);
    }
    write(catalog / "kernels" / "h100-sxm.toml", constants("h100-sxm", kernels::kernel_constant_fields()));
    write(catalog / "networks" / "default-h100.toml",
          constants("default-h100", collective::network_constant_fields()));
    ::setenv("ECHO_CATALOG_DIR", catalog.c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (made / "none").c_str(), 1);
    return made;
  }();
  [[maybe_unused]] static const int at_exit = std::atexit([] {
    std::error_code ignored;
    fs::remove_all(fs::temp_directory_path() / ("echo-sweep-fuzz-" + std::to_string(::getpid())), ignored);
  });
  return folder;
}

}  // namespace echo::fuzz
