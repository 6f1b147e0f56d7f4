// echo-sweep diff A B: what changed between two result files, and what it comes from.
#include <fmt/core.h>

#include <memory>

#include "cli/command.hpp"
#include "query/file_diff.hpp"

namespace echo::cli::commands {

namespace {

// None of the exit codes that say how a sweep ended: 0 to 5, 75.
constexpr int exit_different = 6;

struct DiffOptions {
  std::string first, second, where;
  std::int64_t number = 10;
  bool json = false, exit_code = false;
};

int run_diff(const DiffOptions& options) {
  const results::ResultFile first(options.first), second(options.second);
  const query::FileDiff diff = query::diff_of(first, second, options.number, options.where);
  fmt::print("{}", options.json ? diff_json(diff) : diff_text(diff));
  return options.exit_code && !diff.is_equal() ? exit_different : 0;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<DiffOptions>();
  options.argument(chosen->first, "A", "result file, the older");
  options.argument(chosen->second, "B", "result file, the newer");
  options.value(chosen->number, "-n,--number", "how many of the best rows of each file to follow");
  options.value(chosen->where, "--where", "only rows it keeps, as in \"model == 'gpt3-175b'\"");
  options.flag(chosen->exit_code, "--exit-code", "exit 6 where a row differs (0 otherwise)");
  options.flag(chosen->json, "--json", "JSON on stdout");
  return [chosen](Invocation&) { return run_diff(*chosen); };
}

}  // namespace

extern const Command diff{
    .name = "diff", .summary = "what changed between two result files, and why", .declare = declare};

}  // namespace echo::cli::commands
