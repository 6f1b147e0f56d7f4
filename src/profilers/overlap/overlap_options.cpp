#include "profilers/overlap/overlap_options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.hpp"

namespace echo::profilers {

namespace {

constexpr const char* description =
    "Measures how much kernels and communication slow each other on this machine's GPU, and writes a dataset "
    "of "
    "overlaps.";

void take_kinds(const std::vector<std::string>& kinds, CommunicationChoices& beside) {
  const auto is_asked = [&](const char* kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  beside.proxy = is_asked("proxy");
  beside.copies = is_asked("copies");
  beside.nccl = is_asked("nccl");
}

// CLI11 accepts any number; this states which numbers make sense.
void check_ranges(const OverlapOptions& o) {
  std::vector<Problem> problems;
  const auto require = [&](bool holds, const char* what, const char* remedy) {
    if (!holds) problems.push_back({{}, what, remedy});
  };
  const auto& c = o.beside.channels;
  const auto& r = o.beside.link_rates;
  require(!o.out.empty() || o.is_dry_run || o.collects_counters, "no output file",
          "give one: echo-overlap OVERLAPS.h5, or see the plan with --dry-run");
  require(o.budget > 0.0 && o.budget <= 1e6, "--budget must be above 0 s", "eight minutes is the default");
  require(o.rounds >= 1 && o.rounds <= 1000, "--rounds must be from 1 to 1000", "5 is the default");
  require(std::all_of(c.begin(), c.end(), [](auto n) { return n >= 0 && n <= 128; }),
          "--channels must be from 0 to 128", "NCCL uses 1 to 64");
  require(std::all_of(r.begin(), r.end(), [](double x) { return x > 0.0 && x <= 1e13; }),
          "--rates must be above 0 GB/s", "50 is a 400 Gb/s NIC");
  require(o.device >= 0, "--device must not be negative", "echo-gpu-info lists devices");
  if (!problems.empty()) throw UserError(std::move(problems));
}

}  // namespace

std::optional<OverlapOptions> parse_options(const std::vector<std::string>& arguments) {
  OverlapOptions o;
  std::vector<std::string> kinds{"proxy", "copies", "nccl"};
  std::vector<double> rates;
  bool no_counters = false;
  CLI::App app(description, "echo-overlap");
  app.add_option("out", o.out, "the dataset to write (HDF5)");
  app.add_option("--kernels", o.kernels, "table of kernels, one row per kernel; default: transformer layers")
      ->type_name("FILE.csv");
  const CLI::Option* beside =
      app.add_option("--beside", kinds,
                     "communication beside the kernels: proxy, copies, nccl (needs two GPUs)")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(CLI::IsMember({"proxy", "copies", "nccl"}));
  app.add_option("--channels", o.beside.channels, "thread blocks of the communication")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--rates", rates, "link rates of the proxy, GB/s")->delimiter(',')->allow_extra_args(false);
  app.add_option("--device", o.device, "GPU");
  app.add_option("--budget", o.budget, "time limit in seconds");
  app.add_option("--rounds", o.rounds, "maximum number of measurements of each cell");
  app.add_option("--seed", o.seed, "seed of the order of measurements");
  app.add_flag("--no-counters", no_counters, "do not collect hardware counters");
  app.add_flag("--dry-run", o.is_dry_run, "print the plan and its time; needs no GPU");
  app.add_flag("--collect-counters", o.collects_counters)->group("");  // how this program calls itself
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UserError(error.what(), "echo-overlap --help lists the options");
    app.exit(error);
    return std::nullopt;
  }
  o.names_beside = beside->count() > 0;
  take_kinds(kinds, o.beside);
  if (!rates.empty()) {
    for (double& rate : rates) rate *= 1e9;
    o.beside.link_rates = rates;
  }
  o.counters = !no_counters;
  o.command = "echo-overlap";
  for (const std::string& word : arguments) o.command += " " + word;
  check_ranges(o);
  return o;
}

std::vector<std::string> counter_arguments(const OverlapOptions& o) {
  std::vector<std::string> arguments{"--collect-counters", "--device", std::to_string(o.device)};
  if (!o.kernels.empty()) arguments.insert(arguments.end(), {"--kernels", o.kernels});
  return arguments;
}

}  // namespace echo::profilers
