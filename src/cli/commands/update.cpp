// echo-sweep update FILE TABLE: conditions the ranking of a file on measured runs.
#include <filesystem>
#include <memory>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "query/settle/measured_runs.hpp"
#include "query/text/measured_text.hpp"
#include "results/rank/row_errors.hpp"
#include "results/write/update_file.hpp"

namespace echo::cli::commands {

namespace {

struct UpdateOptions {
  std::string file, table, output;
  bool json = false;
};

// "sweep.h5" -> "sweep.updated.h5".
std::filesystem::path beside(const std::filesystem::path& file) {
  std::filesystem::path out = file;
  return out.replace_extension(".updated" + file.extension().string());
}

int run_update(const UpdateOptions& options) {
  const results::ResultFile file(options.file);
  if (!results::has_step_errors(file))
    throw UserError("the file does not say how wrong its step times may be",
                    "run its sweep again with this version; files before schema 1.6 have no error bands", 2);
  std::vector<results::RunOfRow> runs = results::read_measured(file.file());
  const auto more = query::read_measured_runs(CsvTable::read_file(options.table), file, runs);
  runs.insert(runs.end(), more.begin(), more.end());
  const std::filesystem::path out =
      options.output.empty() ? beside(options.file) : std::filesystem::path(options.output);
  results::update_file(options.file, runs, out);
  const results::UpdatedFile updated(out);
  if (options.json) {
    text::Json json;
    json.open_object().member("file", out.string());
    query::add_measured(json, updated, file);
    json.close();
    say("{}", json.text());
    return 0;
  }
  say("{}\nfile {}\n", query::measured_text(updated, file), out.string());
  return 0;
}

std::function<int(Invocation&)> declare_update(Options& options) {
  auto chosen = std::make_shared<UpdateOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.argument(
      chosen->table, "TABLE",
      "measured runs, CSV: id or inputs such as tp,pp; step_time_s, step_time_ms or step_time with "
      "units; steps");
  options.value(chosen->output, "-o,--output",
                "result file to write (default: FILE with .updated before its ending)");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_update(*chosen); };
}

}  // namespace

extern const Command update{
    .name = "update", .summary = "condition the ranking on measured runs", .declare = declare_update};

}  // namespace echo::cli::commands
