// echo-sweep profile import|merge|list|show|diff|gaps|plan: handles profiles, which are files of measured
// kernels that price a sweep, and lists the kernels to measure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/kernels/profile_rows.hpp"
#include "cli/kernels/profile_summary.hpp"
#include "cli/terminal/say.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/measured/profile_table.hpp"
#include "config/toml/did_you_mean.hpp"
#include "explain/wanted_kernels.hpp"
#include "kernels/database/price_known.hpp"
#include "storage/profile_file.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

constexpr double conflict =
    0.2;  // a larger difference in a kernel means that the files timed different things
constexpr double unlikely = 20.0;  // a larger ratio to the model is most likely a wrong unit
constexpr std::size_t conflicts_shown = 10;

struct ProfileOptions {
  std::string action, output, gpu, library, library_version, clocks, date, where;
  std::vector<std::string> files, preset_paths, sets, profiles;
  std::int64_t top = 20, points = 20;
  bool sustained = false, json = false;
};

config::CatalogInputs presets_of(const ProfileOptions& options) {
  return config::read_presets(options.preset_paths);
}

const std::string& output_of(const ProfileOptions& options) {
  if (options.output.empty())
    throw UserError("profile " + options.action + " needs an output file", "add -o OUT.h5");
  return options.output;
}

kernels::Profile read_one(const std::string& file) { return storage::read_profile(file).profile; }

void expect_files(const ProfileOptions& options, std::size_t count) {
  if (options.files.size() != count)
    throw UserError(fmt::format("profile {} takes {} file{}, not {}", options.action, count,
                                count == 1 ? "" : "s", options.files.size()),
                    "echo-sweep profile --help");
}

// --- import
config::ImportChoices choices_of(const ProfileOptions& options) {
  config::ImportChoices choices{.gpu = options.gpu,
                                .library_version = options.library_version,
                                .date = options.date,
                                .sustained = options.sustained};
  if (!options.library.empty()) {
    const auto& names = ops::kernel_library_names;
    const auto found = std::find(names.begin(), names.end(), options.library);
    if (found == names.end())
      throw UserError("--as-library: unknown library \"" + options.library + "\"",
                      config::suggest(options.library, {names.begin(), names.end()}, "known"));
    choices.library = static_cast<ops::KernelLibrary>(found - names.begin());
  }
  if (!options.clocks.empty()) {
    char* end = nullptr;
    choices.clock_mhz = std::strtod(options.clocks.c_str(), &end);
    if (*end != '\0' || !(choices.clock_mhz > 0.0))
      throw UserError("--clocks: \"" + options.clocks + "\" is not a clock rate",
                      "give it in MHz, as in --clocks 1410");
  }
  return choices;
}

std::string far_from_model(const kernels::Profile& profile, const config::CatalogInputs& presets) {
  const results::Table rows = profile_rows(profile, presets);
  std::int64_t far = 0;
  for (std::int64_t row = 0; row < rows.rows(); ++row)
    far += std::abs(std::log(rows.number("ratio", row))) > std::log(unlikely) ? 1 : 0;
  if (far == 0) return "";
  return fmt::format(
      "warning: {} rows take more than {:.0f} times as long as the model says, or less than {:.0f} times; "
      "are "
      "the units right? (echo-sweep profile show FILE)\n",
      text::show_count(far), unlikely, unlikely);
}

int import_tables(const ProfileOptions& options) {
  const std::string& output = output_of(options);
  const config::ImportChoices choices = choices_of(options);
  const config::CatalogInputs presets = presets_of(options);
  Problems problems;
  kernels::Profile all;
  std::string report;
  text::Json json;
  json.open_object().key("tables").open_array();
  for (const std::string& file : options.files) {
    const CsvTable csv = CsvTable::read_file(file);
    const config::ImportedTable table = config::read_kernel_table(csv, presets, choices, problems);
    if (problems.errors() > 0) continue;
    report += fmt::format("{}: {} rows\n", file, text::show_count(table.rows));
    json.open_object().member("table", file).member("rows", table.rows).key("left_out").open_object();
    for (const auto& [why, count] : table.left_out) {
      report += fmt::format("  left out {:>6}  {}\n", text::show_count(count), why);
      json.member(why, count);
    }
    json.close().close();
    all = kernels::joined(all, table.profile);
  }
  problems.throw_if_any();
  const std::string digest = storage::write_profile(output, all);
  std::int64_t kernels = 0;
  for (const ProfileGroup& group : groups_of(all)) kernels += group.kernels;
  report += fmt::format("{}: {} measurements of {} kernels, digest {}\n", output,
                        text::show_count(std::ssize(all.rows)), text::show_count(kernels), digest);
  json.close().member("file", output).member("rows", all.rows.size()).member("kernels", kernels);
  json.member("digest", digest).close();
  say("{}", options.json ? json.text() : report);
  if (const std::int64_t apart = kernels_with_repeats_apart(all, conflict); apart > 0)
    remark("warning: repeats of {} kernels differ by more than {:.0f} %; their median is used\n",
           text::show_count(apart), 100 * conflict);
  remark("{}", far_from_model(all, presets));
  return 0;
}

// --- merge
int merge(const ProfileOptions& options) {
  const std::string& output = output_of(options);
  kernels::Profile all;
  std::vector<ProfilePair> conflicts;
  for (const std::string& file : options.files) {
    const kernels::Profile next = read_one(file);
    const auto far = apart(diff_of(all, next), conflict);
    conflicts.insert(conflicts.end(), far.begin(), far.end());
    all = kernels::joined(all, next);
  }
  const std::string digest = storage::write_profile(output, all);
  if (options.json) {
    text::Json json;
    json.open_object().member("file", output).member("rows", all.rows.size());
    json.member("conflicts", conflicts.size()).member("digest", digest).close();
    say("{}", json.text());
    return 0;
  }
  if (!conflicts.empty())
    say("{} kernels differ by more than {:.0f} % between files; their median is used\n{}",
        text::show_count(std::ssize(conflicts)), 100 * conflict, pairs_text(conflicts, conflicts_shown));
  say("{}: {} measurements, digest {}\n", output, text::show_count(std::ssize(all.rows)), digest);
  return 0;
}

// --- list, show, diff
int list(const ProfileOptions& options) {
  expect_files(options, 1);
  const storage::ProfileFile file = storage::read_profile(options.files.front());
  say("{}", options.json ? groups_json(file.profile) : groups_text(file.profile));
  if (!options.json) say("digest {}\n", file.digest);
  return 0;
}

int show(const ProfileOptions& options) {
  expect_files(options, 1);
  const kernels::Profile profile = read_one(options.files.front());
  const results::Table rows = profile_rows(profile, presets_of(options));
  const auto chosen = chosen_rows(rows, options.where, options.top);
  say("{}", options.json ? rows_json(rows, chosen) : rows_text(profile, rows, chosen));
  return 0;
}

int diff(const ProfileOptions& options) {
  expect_files(options, 2);
  const ProfileDiff found = diff_of(read_one(options.files[0]), read_one(options.files[1]));
  say("{}", options.json ? diff_json(found) : diff_text(found, static_cast<std::size_t>(options.top)));
  return 0;
}

// --- gaps, plan
void write_text(const std::string& file, const std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wb"), &std::fclose);
  if (!out || std::fwrite(text.data(), 1, text.size(), out.get()) != text.size() ||
      std::fflush(out.get()) != 0)
    throw UserError("cannot write \"" + file + "\"",
                    "check that the folder exists and that the disk has free space", 5);
}

int want(const ProfileOptions& options) {
  expect_files(options, 1);
  if (options.points < 1) throw UserError("--points must be 1 or more", "20 is the default");
  const std::string& file = options.files.front();
  const bool of_result = options.action == "gaps";
  const explain::WantedKernels wanted =
      of_result ? explain::gaps_of_result(file, options.points, options.preset_paths)
                : explain::kernels_of_sweep({.file = file,
                                             .sets = options.sets,
                                             .profiles = options.profiles,
                                             .preset_paths = options.preset_paths},
                                            options.points);
  if (!wanted.problem.empty()) remark("warning: {}\n", wanted.problem);
  const std::string csv = explain::wanted_csv(wanted.kernels);
  if (options.output.empty()) {
    say("{}", csv);
    return 0;
  }
  write_text(options.output, csv);
  say("{}: {} kernels of {} {}point{}\n", options.output, text::show_count(std::ssize(wanted.kernels)),
      wanted.points, of_result ? "best " : "", wanted.points == 1 ? "" : "s");
  return 0;
}

void declare_wanting(Options& options, ProfileOptions& chosen) {
  options.value(chosen.points, "--points",
                "gaps: number of best points; plan: number of points, evenly spread");
  options.values(chosen.sets, "--set",
                 "plan: KEY=VALUE replaces a value of the sweep, as in space.tp=[1,8]; repeatable");
  options.values(chosen.profiles, "--profile", "plan: profile of measured kernels, as in run; repeatable");
}

std::function<int(Invocation&)> declare_profile(Options& options) {
  auto chosen = std::make_shared<ProfileOptions>();
  options.choice(
      chosen->action, "ACTION", {"import", "merge", "list", "show", "diff", "gaps", "plan"},
      "import: make a profile from tables; merge: combine profiles; list: summarise one; show: its rows next "
      "to the model's prices; diff: compare two; gaps: list kernels of the best points of a result that no "
      "profile covers; plan: list the kernels of the points of a sweep");
  options.arguments(
      chosen->files, "FILE",
      "import: tables (CSV); gaps: a result file; plan: a sweep (TOML); otherwise profiles (HDF5)");
  options.value(chosen->output, "-o,--output",
                "import, merge: profile to write; gaps, plan: table to write (default: standard output)");
  declare_wanting(options, *chosen);
  options.value(chosen->gpu, "--gpu", "import: preset of the measured GPU; overrides the tables");
  options.value(
      chosen->library, "--as-library",
      "import: library that the kernels represent; overrides the tables; sweeps use \"training\" by default");
  options.value(chosen->library_version, "--library-version",
                "import: version of the library as free text, such as \"cuBLAS 12.6\"");
  options.value(chosen->clocks, "--clocks", "import: SM clock during the measurement, in MHz");
  options.flag(
      chosen->sustained, "--sustained",
      "import: measured at the clocks of a long training step, not in a micro-benchmark with pauses");
  options.value(chosen->date, "--date", "import: date of the measurement as free text");
  options.value(chosen->where, "--where",
                "show: only rows that satisfy this condition, as in \"kind == 'gemm' and m >= 4096\"");
  options.value(chosen->top, "-n,--top",
                "show: the N rows farthest from the model, 0 = all rows; diff: the N rows that differ most");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) {
    if (chosen->action == "import") return import_tables(*chosen);
    if (chosen->action == "merge") return merge(*chosen);
    if (chosen->action == "list") return list(*chosen);
    if (chosen->action == "gaps" || chosen->action == "plan") return want(*chosen);
    return chosen->action == "show" ? show(*chosen) : diff(*chosen);
  };
}

}  // namespace

extern const Command profile{.name = "profile",
                             .summary = "import, merge, inspect and compare profiles of measured kernels",
                             .declare = declare_profile};

}  // namespace echo::cli::commands
