// echo-sweep schema: the JSON Schema of sweep.toml, for editors. Save it and begin a sweep with
// "#:schema ./sweep.schema.json".

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/sweep_schema.hpp"
#include "cli/terminal/say.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/catalog/fitted/site_file.hpp"

namespace echo::cli::commands {

static std::function<int(Invocation&)> declare_schema(Options& options) {
  auto preset_paths = std::make_shared<std::vector<std::string>>();
  options.values(*preset_paths, "--preset-path,--include", preset_path_help);
  return [preset_paths](Invocation&) {
    say("{}", sweep_schema(config::read_presets(*preset_paths).catalog));
    return 0;
  };
}

extern const Command schema{
    .name = "schema", .summary = "print the JSON Schema of sweep.toml, for editors", .declare = declare_schema};

}  // namespace echo::cli::commands
