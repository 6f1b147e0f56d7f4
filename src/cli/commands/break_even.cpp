// echo-sweep break-even FILE --x nic_rate --y price: where, over two numbers of the hardware or of prices,
// the winner of a sweep changes.
#include <memory>

#include "base/error.hpp"
#include "cli/break_even/surface.hpp"
#include "cli/break_even/surface_text.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"

namespace echo::cli::commands {

namespace {

struct BreakEvenOptions {
  std::string file, x, y, by, per;
  std::vector<std::string> sets, preset_paths;
  std::int64_t simulations = SurfaceRequest{}.most_simulations;
  bool json = false, csv = false;
};

int run_break_even(const BreakEvenOptions& options) {
  if (options.x.empty() || options.y.empty())
    throw UserError("a surface has two axes: --x and --y are both required",
                    "as in --x nic_rate --y hbm_bandwidth");
  if (options.json && options.csv) throw UserError("--json and --csv exclude each other", "choose one");
  const SurfaceSweep sweep(options.file, options.preset_paths, options.sets);
  const SurfaceRequest request{.x = surface_axis(options.x),
                               .y = surface_axis(options.y),
                               .by = options.by,
                               .per = options.per,
                               .most_simulations = options.simulations};
  if (request.x.asked == request.y.asked)
    throw UserError("both axes are " + request.x.asked, "choose two different ones");
  const std::string changed = sweep.what_changed();
  if (!changed.empty()) remark("warning: {}; every cell is simulated as it is now\n", changed);
  const Surface surface = break_even(sweep, request);
  if (options.json)
    say("{}", surface_json(surface, options.file, changed));
  else
    say("{}", options.csv ? surface_csv(surface) : surface_text(surface));
  const bool has_winner = !surface.kinds.empty();
  return has_winner ? 0 : 3;
}

std::function<int(Invocation&)> declare_break_even(Options& options) {
  auto chosen = std::make_shared<BreakEvenOptions>();
  options.argument(chosen->file, "FILE", "a sweep, or a result file, whose sweep is simulated again");
  options.value(
      chosen->x, "--x",
      "axis of the columns: nic_rate, gpu.flops, gpus.h100-sxm.hbm_bandwidth, gpus, price, "
      "price.h200-sxm, gpu_mtbf or a key that --set takes; with values as in nic_rate=100Gb/s..800Gb/s:8 or "
      "gpus=64,128 (default: x0.5..x2:7)");
  options.value(chosen->y, "--y", "axis of the rows, in the same form");
  options.value(chosen->by, "--by",
                "metric to win by (default: cost where a price is an axis, otherwise the first objective)");
  options.value(chosen->per, "--per",
                "axes that tell winners apart, as in cluster,tp (default: cluster and gpu where they vary, "
                "otherwise all that vary)");
  options.values(chosen->sets, "--set", "KEY=VALUE replaces a value of the sweep; repeatable");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.value(chosen->simulations, "--simulations",
                "number of simulations up to which every point of every cell is simulated; beyond it, cells "
                "inside the surface look at the best rows of its corners and middle only");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  options.flag(chosen->csv, "--csv", "print one line per cell");
  return [chosen](Invocation&) { return run_break_even(*chosen); };
}

}  // namespace

extern const Command break_even{
    .name = "break-even",
    .summary = "show where the winner changes over two numbers of hardware or prices",
    .declare = declare_break_even};

}  // namespace echo::cli::commands
