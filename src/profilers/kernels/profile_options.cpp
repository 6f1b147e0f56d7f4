#include "profilers/kernels/profile_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.hpp"
#include "ops/kernel_fields.hpp"

namespace echo::profilers {

namespace {

constexpr const char* description =
    "Measures kernels on this machine's GPU and writes a profile that echo-sweep uses to price sweeps.";

void declare(CLI::App& app, ProfileOptions& o) {
  app.add_option("out", o.out,
                 "the profile to write (HDF5); existing measurements are kept and not repeated");
  CLI::Option* gaps =
      app.add_option("--gaps", o.gaps, "table of unmeasured kernels, from `echo-sweep profile gaps`")
          ->type_name("FILE.csv");
  app.add_option("--kernels", o.kernels, "table of kernels, one row per kernel; all must be supported")
      ->type_name("FILE.csv")
      ->excludes(gaps);
  app.add_option("--kinds", o.kinds, "only kernels of these kinds: gemm, attention_forward, ...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--gpu", o.gpu, "preset of the GPU, if the driver's name does not identify it");
  app.add_option("--device", o.device, "GPU");
  app.add_option("--budget", o.budget, "time limit in seconds");
  app.add_option("--repeats", o.trains, "series of launches per kernel; more if their times vary");
  app.add_option("--seed", o.seed, "seed of the order in which the built-in grid is measured");
  app.add_flag("--warm", o.is_warm, "operands in L2; default: from memory, as in a training step");
  app.add_flag("--again", o.is_again,
               "repeat measurements that the profile already has; all repeats are kept");
  app.add_option("--samples", o.samples, "append every launch's time to this table")->type_name("FILE.csv");
  app.add_option("--replay", o.replay, "read the times from such a table; needs no GPU")
      ->type_name("FILE.csv");
  app.add_flag("--dry-run", o.is_dry_run, "print the plan and its time; needs no GPU");
}

void check_kinds(const std::vector<std::string>& kinds, std::vector<Problem>& problems) {
  const auto names = ops::kernel_field("kind")->names;
  for (const std::string& kind : kinds)
    if (std::find(names.begin(), names.end(), kind) == names.end())
      problems.push_back({{}, "--kinds: unknown kind \"" + kind + "\"", "as in gemm,attention_forward"});
}

// CLI11 accepts any number; this states which numbers make sense.
void check_ranges(const ProfileOptions& o) {
  std::vector<Problem> problems;
  const auto require = [&](bool holds, const char* what, const char* remedy) {
    if (!holds) problems.push_back({{}, what, remedy});
  };
  require(!o.out.empty() || o.is_dry_run, "no output file",
          "give one: echo-profile PROFILE.h5, or see the plan with --dry-run");
  require(o.budget > 0.0 && o.budget <= 1e6, "--budget must be above 0 s", "ten minutes is the default");
  require(o.trains >= 1 && o.trains <= 1000, "--repeats must be from 1 to 1000", "3 is the default");
  require(o.device >= 0, "--device must not be negative", "echo-gpu-info lists devices");
  require(std::none_of(o.gpu.begin(), o.gpu.end(), [](unsigned char c) { return c <= ' '; }),
          "--gpu must not contain blanks", "echo-sweep presets list gpus shows the presets' names");
  require(o.replay.empty() || o.samples.empty(),
          "--replay and --samples cannot be combined: --replay reads samples", "omit one of them");
  check_kinds(o.kinds, problems);
  if (!problems.empty()) throw UserError(std::move(problems));
}

}  // namespace

std::optional<ProfileOptions> parse_profile_options(const std::vector<std::string>& arguments) {
  ProfileOptions o;
  CLI::App app(description, "echo-profile");
  declare(app, o);
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UserError(error.what(), "echo-profile --help lists the options");
    app.exit(error);
    return std::nullopt;
  }
  o.command = "echo-profile";
  for (const std::string& word : arguments) o.command += " " + word;
  check_ranges(o);
  return o;
}

}  // namespace echo::profilers
