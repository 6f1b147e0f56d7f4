// Facts about the build of this program; git_commit is that of the last configuration, empty outside git.
#pragma once

#include <string>

namespace echo::cli {

struct BuildFacts {
  std::string version, git_commit, build_type, compiler, mpi, schema_version;
};
[[nodiscard]] BuildFacts build_facts();

}  // namespace echo::cli
