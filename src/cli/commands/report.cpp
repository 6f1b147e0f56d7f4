// echo-sweep report FILE -o PAGE: has the Python package write a result file as one page of HTML.
//
// The package is looked for where this program is: an installed one has echo-sweep-results beside it, a build
// tree a link to the package (../share/echo-sweep/python); else the interpreter must know it. ECHO_PYTHON
// names another interpreter than python3. The package asks this program, which it finds by ECHO_SWEEP, about
// timelines, kernels and counts of the space.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "config/catalog/built_in_catalog.hpp"

namespace echo::cli::commands {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string file, output;
};

// Runs in the interpreter. argv: the folder of the package, or nothing; then the arguments of the package.
constexpr const char* starter = R"(import importlib.util, sys
folder, arguments = sys.argv[1], sys.argv[2:]
if folder:
    sys.path.insert(0, folder)
missing = [name for name in ("echo_sweep", "h5py", "numpy", "plotly") if importlib.util.find_spec(name) is None]
if missing:
    print("error: " + sys.executable + " has no " + ", ".join(missing) + "\n  install what is missing: "
          "apt-get install python3-h5py python3-numpy python3-plotly, or pip install h5py numpy plotly; "
          "echo_sweep is the folder analysis of the source: pip install ./analysis; "
          "ECHO_PYTHON names another interpreter", file=sys.stderr)
    sys.exit(2)
from echo_sweep.__main__ import main
sys.exit(main(arguments))
)";
constexpr int exit_missing = 2;

std::string interpreter() {
  const char* const chosen = std::getenv("ECHO_PYTHON");
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

// The command line of the package, its own arguments left out.
std::vector<std::string> package_command(const fs::path& program) {
  std::error_code failed;
  const fs::path beside = program.parent_path() / "echo-sweep-results";
  if (std::getenv("ECHO_PYTHON") == nullptr && fs::exists(beside, failed)) return {beside.string()};
  const fs::path linked = program.parent_path().parent_path() / "share/echo-sweep/python";
  return {interpreter(), "-c", starter, fs::is_directory(linked, failed) ? linked.string() : ""};
}

// The exit code of a program that shares our output. UserError, 2, where it cannot be started.
int exit_code_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int problem = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
      problem != 0)
    throw UserError(fmt::format("{} cannot be started: {}", words[0], std::strerror(problem)),
                    "the report is made by Python: apt-get install python3 python3-h5py python3-numpy "
                    "python3-plotly, or name an interpreter in ECHO_PYTHON",
                    exit_missing);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw UserError(fmt::format("{} was ended by signal {}", words[0], WTERMSIG(status)),
                  "a report of three million rows takes about 2 GB of memory", 1);
}

int run_report(const ReportOptions& options) {
  const fs::path program = config::catalog_search().program;
  if (setenv("ECHO_SWEEP", program.c_str(), 1) != 0)
    throw UserError("the environment has no room for ECHO_SWEEP", "unset variables that nothing needs", 1);
  std::vector<std::string> words = package_command(program);
  words.insert(words.end(), {"report", options.file});
  if (!options.output.empty()) words.insert(words.end(), {"-o", options.output});
  return exit_code_of(std::move(words));
}

std::function<int(Invocation&)> declare_report(Options& options) {
  auto chosen = std::make_shared<ReportOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.value(chosen->output, "-o,--output", "page to write (default: NAME.html beside FILE)");
  return [chosen](Invocation&) { return run_report(*chosen); };
}

}  // namespace

extern const Command report{.name = "report",
                            .summary = "write a result file as one page of HTML, with pictures and a table",
                            .declare = declare_report,
                            .reads_inputs = false};

}  // namespace echo::cli::commands
