// What this program was built from; git_commit as of the last configuration of the build, empty outside git.
#pragma once

#include <string>

namespace echo::cli {

struct BuildFacts {
  std::string version, git_commit, build_type, compiler, mpi, schema_version;
};
[[nodiscard]] BuildFacts build_facts();

}  // namespace echo::cli
