// Writes network constants as a file of the catalog.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collective/constants_fit.hpp"

namespace echo::config {

struct NetworkFile {
  std::string name, source, licence, date;
  std::string
      prior;  // preset whose constants apply where the fit moved nothing; empty = the defaults of the source
  std::int32_t most_nodes = 0;  // of the logs it is fitted to or compared with
  collective::FittedConstants fit;
  std::vector<std::pair<std::string, double>> figures;  // how well it fits, name and value
};

// A constant that no row determines has the error of an average machine: 30 %.
[[nodiscard]] std::string network_file_text(const NetworkFile&);

}  // namespace echo::config
