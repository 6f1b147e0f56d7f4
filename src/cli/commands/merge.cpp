// echo-sweep merge -o OUT A B...: merges shards or unfinished result files of one sweep.

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "results/write/merge_files.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output, prefer = "none";
  bool json = false;
};

results::Prefer preference(const std::string& word) {
  if (word == "first") return results::Prefer::first;
  return word == "last" ? results::Prefer::last : results::Prefer::none;
}

int run_merge(const MergeOptions& options, const Invocation& invocation) {
  if (options.output.empty()) throw UserError("merge needs an output file", "add -o OUT.h5");
  const std::vector<std::filesystem::path> files(options.files.begin(), options.files.end());
  const auto summary =
      results::merge_results(options.output, files, preference(options.prefer), invocation.text());
  const auto state = results::read_state(options.output);
  if (options.json) {
    text::Json json;
    json.open_object().member("file", options.output).member("rows_digest", summary.rows_digest);
    json.member("points", summary.rows).member("points_of_sweep", state->ids);
    json.member("complete", state->complete).close();
    say("{}", json.text());
    return 0;
  }
  say("{} of {} points, {}\nrows_digest {}\nfile {}\n", text::show_count(summary.rows),
      text::show_count(state->ids), state->complete ? "complete" : "not complete", summary.rows_digest,
      options.output);
  return 0;
}

std::function<int(Invocation&)> declare_merge(Options& options) {
  auto chosen = std::make_shared<MergeOptions>();
  options.arguments(chosen->files, "FILE", "result files of one sweep");
  options.value(chosen->output, "-o,--output", "result file to write");
  options.choice(chosen->prefer, "--prefer", {"none", "first", "last"},
                 "which file takes precedence if two differ in a point; none = error");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation& invocation) { return run_merge(*chosen, invocation); };
}

}  // namespace

extern const Command merge{
    .name = "merge", .summary = "merge the shards of a sweep into one file", .declare = declare_merge};

}  // namespace echo::cli::commands
