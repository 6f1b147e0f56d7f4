// The folder of the catalog that comes with the program. The one place that knows where it lies.
#pragma once

#include <filesystem>
#include <string>

namespace echo::config {

// The inputs that determine the folder.
struct CatalogSearch {
  std::string chosen;             // ECHO_CATALOG_DIR; empty: not set
  std::filesystem::path program;  // the file of the running program
};
[[nodiscard]] CatalogSearch catalog_search();  // as this process was started

// `chosen` as it is given, where it is not empty; else ../share/echo-sweep/catalog, seen from the program's
// folder, without links. Build trees have a link there. Throws UserError, which names the folder, where that
// is no catalog.
[[nodiscard]] std::string built_in_catalog(const CatalogSearch& search);

}  // namespace echo::config
