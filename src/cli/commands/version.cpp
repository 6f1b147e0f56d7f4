// echo-sweep version: prints the version of the program and of the libraries it was built with.

#include <memory>

#include "cli/command.hpp"
#include "cli/run/build_facts.hpp"
#include "cli/terminal/say.hpp"
#include "text/json.hpp"

namespace echo::cli::commands {

namespace {

std::function<int(Invocation&)> declare_version(Options& options) {
  auto json = std::make_shared<bool>(false);
  options.flag(*json, "--json", "print JSON on stdout");
  return [json](Invocation&) {
    const BuildFacts facts = build_facts();
    if (*json) {
      text::Json object;
      object.open_object().member("program", "echo-sweep").member("version", facts.version);
      object.member("git_commit", facts.git_commit)
          .member("schema_version", facts.schema_version)
          .member("build_type", facts.build_type);
      object.member("compiler", facts.compiler).member("mpi", facts.mpi).close();
      say("{}", object.text());
    } else {
      say("{}\n", version_line(facts));
    }
    return 0;
  };
}

}  // namespace

extern const Command version{.name = "version",
                             .summary = "version, commit, compiler and MPI",
                             .declare = declare_version,
                             .reads_inputs = false};

}  // namespace echo::cli::commands
