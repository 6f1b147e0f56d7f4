// What this program was built from.
#pragma once

#include <string>

namespace echo::apps {

struct BuildFacts {
  std::string version, build_type, compiler, mpi, schema_version;
};
[[nodiscard]] BuildFacts build_facts();

}  // namespace echo::apps
