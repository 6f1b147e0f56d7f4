// echo-sweep check SWEEP.toml: checks whether a sweep can run, for editors and CI. Writes and simulates
// nothing.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/terminal/problem_text.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/terminal.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "explain/profile_inputs.hpp"
#include "sweep/choice/standing_defaults.hpp"
#include "sweep/space/count_space.hpp"
#include "sweep/space/design_space.hpp"
#include "sweep/space/sampling.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

struct CheckOptions {
  std::string sweep;
  std::vector<std::string> sets, preset_paths;
  bool json = false;
};

// A sweep without a point does nothing: which rule removes the most is where to look.
void warn_of_empty(const std::string& path, const sweep::SpaceCount& count, std::vector<Problem>& warnings) {
  const auto most = std::max_element(
      count.rules.begin(), count.rules.end(),
      [](const sweep::RuleCount& a, const sweep::RuleCount& b) { return a.removed.value < b.removed.value; });
  if (!count.exact || count.kept.value > 0 || most == count.rules.end()) return;
  warnings.push_back({{path, 0, 0, 1},
                      "the rules leave no combination; \"" + most->name + "\" removes the most, " +
                          text::show_count(most->removed.value) + " of " + text::show_count(count.raw),
                      "echo-sweep plan shows what each rule removes",
                      Problem::Severity::warning});
}

// Choices that no point can make, because the framework's default of another axis forbids it.
void warn_of_defaults(const std::string& path, const sweep::DesignSpace& space, config::SweepInputs& inputs) {
  constexpr std::int64_t most_looks = 2000;
  for (const sweep::StandingDefault& one :
       sweep::standing_defaults(space, inputs.spec, inputs.catalog, most_looks))
    inputs.warnings.push_back(
        {{path, 0, 0, 1},
         fmt::format("no point with {} = {} can run: {}", one.chosen, one.value, one.rule.text),
         fmt::format("the framework's {} = {} stands in the way; name {} = {} in [space]", one.standing,
                     one.left, one.standing, one.instead),
         Problem::Severity::warning});
}

// The size of the sweep. Spaces too large to enumerate quickly are counted in the same way as by plan.
std::string size_of(const std::string& path, config::SweepInputs& inputs) {
  constexpr std::int64_t soon_numbered = 1'000'000;
  const sweep::RawSpace raw(inputs.spec, inputs.catalog);
  const auto seed = static_cast<std::uint64_t>(inputs.spec.seed);
  const sweep::SpaceCount count = sweep::count_space(raw, {.seed = seed});
  warn_of_empty(path, count, inputs.warnings);
  if (count.exact && count.kept.value <= soon_numbered) {
    const sweep::DesignSpace space(inputs.spec, inputs.catalog);
    warn_of_defaults(path, space, inputs);
    return text::show_count(space.size()) + " points";
  }
  if (sweep::draws_points(inputs.spec.search.strategy))
    return text::show_count(inputs.spec.search.points) + " points";
  return (count.exact ? "" : "about ") + text::show_count(count.kept.value) + " combinations";
}

int run_check(const CheckOptions& options) {
  try {
    auto inputs = config::read_sweep(options.sweep, options.preset_paths, options.sets);
    static_cast<void>(explain::read_profiles(inputs));
    const std::string size = size_of(options.sweep, inputs);
    if (options.json) {
      say("{}", problem_json(UserError(inputs.warnings, 0)));
    } else {
      for (const Problem& warning : inputs.warnings) {
        fmt::print("{}", problem_text(warning, wants_colour(stdout, false)));
      }
      say("{}: ok, {}\n", options.sweep, size);
    }
    return 0;
  } catch (const UserError& error) {
    if (!options.json) throw;
    say("{}", problem_json(error));
    return error.exit_code();
  }
}

std::function<int(Invocation&)> declare_check(Options& options) {
  auto chosen = std::make_shared<CheckOptions>();
  options.argument(chosen->sweep, "SWEEP", "the sweep, a TOML file");
  options.values(chosen->sets, "--set", "KEY=VALUE replaces a value of the sweep; repeatable");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print problems as JSON on stdout");
  return [chosen](Invocation&) { return run_check(*chosen); };
}

}  // namespace

extern const Command check{.name = "check", .summary = "check whether a sweep can run", .declare = declare_check};

}  // namespace echo::cli::commands
