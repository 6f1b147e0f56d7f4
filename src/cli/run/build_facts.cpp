#include "cli/run/build_facts.hpp"

#include <fmt/format.h>

#include "parallel/session.hpp"
#include "results/columns.hpp"

namespace echo::cli {

BuildFacts build_facts() {
#if defined(__clang__)
  const std::string compiler = "clang++ " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return {.version = ECHO_VERSION,
          .git_commit = ECHO_GIT_COMMIT,
          .build_type = ECHO_BUILD_TYPE,
          .compiler = compiler,
          .mpi = parallel::Session::library_version(),
          .schema_version = results::schema_version()};
}

std::string version_line(const BuildFacts& facts) {
  return fmt::format("echo-sweep {} (commit {}; {}, {}, {}; result schema {})", facts.version,
                     facts.git_commit, facts.build_type, facts.compiler, facts.mpi, facts.schema_version);
}

}  // namespace echo::cli
