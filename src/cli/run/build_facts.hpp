// The sources and libraries of this build; git_commit as of the last configuration of the build, "unknown"
// where neither git nor the archive it came in says (src/commit.cmake).
#pragma once

#include <string>

namespace echo::cli {

struct BuildFacts {
  std::string version, git_commit, build_type, compiler, mpi, schema_version;
};
[[nodiscard]] BuildFacts build_facts();
[[nodiscard]] std::string version_line(const BuildFacts& facts);  // what `version` and --version print

}  // namespace echo::cli
