// echo-sweep diff A B: compares two result files and explains the differences.

#include <memory>

#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "query/file_diff.hpp"

namespace echo::cli::commands {

namespace {

// Distinct from the exit codes of a sweep: 0 to 5, 75.
constexpr int exit_different = 6;

struct DiffOptions {
  std::string first, second, where;
  std::int64_t number = 10;
  bool json = false, exit_code = false;
};

int run_diff(const DiffOptions& options) {
  const results::ResultFile first(options.first), second(options.second);
  const query::FileDiff diff = query::diff_of(first, second, options.number, options.where);
  say("{}", options.json ? diff_json(diff) : diff_text(diff));
  return options.exit_code && !diff.is_equal() ? exit_different : 0;
}

std::function<int(Invocation&)> declare_diff(Options& options) {
  auto chosen = std::make_shared<DiffOptions>();
  options.argument(chosen->first, "A", "older result file");
  options.argument(chosen->second, "B", "newer result file");
  options.value(chosen->number, "-n,--number", "number of best rows of each file to compare");
  options.value(chosen->where, "--where",
                "compare only rows that satisfy this condition, as in \"model == 'gpt3-175b'\"");
  options.flag(chosen->exit_code, "--exit-code", "exit with 6 if a row differs, otherwise with 0");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_diff(*chosen); };
}

}  // namespace

extern const Command diff{
    .name = "diff", .summary = "compare two result files and explain the differences", .declare = declare_diff};

}  // namespace echo::cli::commands
