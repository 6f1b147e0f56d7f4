#include "config/catalog/built_in_catalog.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace echo::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* point_at_source = "point ECHO_CATALOG_DIR at sweeps/catalog of the source, ";

// Why `folder` is no catalog; empty where it is one.
std::string why_no_catalog(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return "there is no such folder";
  for (const char* kind : {"gpus", "models", "clusters"}) {
    if (!fs::is_directory(folder / kind, failed))
      return "it has no folder \"" + std::string(kind) + "\" of presets";
  }
  return "";
}

}  // namespace

CatalogSearch catalog_search() {
  const char* const chosen = std::getenv("ECHO_CATALOG_DIR");
  std::error_code failed;  // leaves `program` empty, and the folder is looked for here
  return {.chosen = chosen != nullptr ? chosen : "", .program = fs::read_symlink("/proc/self/exe", failed)};
}

std::string built_in_catalog(const CatalogSearch& search) {
  if (!search.chosen.empty()) {
    const std::string flaw = why_no_catalog(search.chosen);
    if (flaw.empty()) return search.chosen;
    throw UserError(
        "ECHO_CATALOG_DIR is " + search.chosen + ", which is not a catalog: " + flaw,
        std::string(point_at_source) + "or unset it to use the catalog that was installed with the program");
  }
  const fs::path beside =
      (search.program.parent_path().parent_path() / "share/echo-sweep/catalog").lexically_normal();
  const std::string flaw = why_no_catalog(beside);
  if (flaw.empty()) return fs::canonical(beside).string();
  throw UserError(
      "the catalog was not found: tried " + beside.string() + " (" + flaw + "); ECHO_CATALOG_DIR is not set",
      std::string(point_at_source) + "or install the program together with its catalog (cmake --install)");
}

}  // namespace echo::config
