// echo-calibrate: fits the catalog's constants on published measurements. For maintainers; users need the
// results only.
#include <cstdio>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "calibrate/kernels/kernel_calibration.hpp"
#include "calibrate/kernels/kernel_transfer.hpp"
#include "calibrate/memory/memory_error_report.hpp"
#include "calibrate/network/network_fit.hpp"
#include "calibrate/slowdown/overlap_fit.hpp"
#include "calibrate/steps/ablation.hpp"
#include "calibrate/steps/error_report.hpp"
#include "calibrate/steps/held_out.hpp"
#include "calibrate/steps/practice_report.hpp"
#include "calibrate/steps/processor_times.hpp"
#include "calibrate/steps/settle_report.hpp"
#include "calibrate/steps/training_rate.hpp"

int main(int argc, char** argv) {
  const std::span<char*> args(argv, static_cast<std::size_t>(argc));
  const std::string_view command = args.size() > 1 ? args[1] : "";
  try {
    if (command == "kernels") return echo::calibrate::run_kernels(args.subspan(2));
    if (command == "transfer") return echo::calibrate::run_transfer(args.subspan(2));
    if (command == "networks") return echo::calibrate::run_networks(args.subspan(2));
    if (command == "overlaps") return echo::calibrate::run_overlaps(args.subspan(2));
    if (command == "errors") return echo::calibrate::run_errors(args.subspan(2));
    if (command == "memory-errors") return echo::calibrate::run_memory_errors(args.subspan(2));
    if (command == "training") return echo::calibrate::run_training(args.subspan(2));
    if (command == "processors") return echo::calibrate::run_processors(args.subspan(2));
    if (command == "practice") return echo::calibrate::run_practice(args.subspan(2));
    if (command == "held-out") return echo::calibrate::run_held_out(args.subspan(2));
    if (command == "settle") return echo::calibrate::run_settle(args.subspan(2));
    if (command == "ablation") return echo::calibrate::run_ablation(args.subspan(2));
    std::fputs(
        "echo-calibrate kernels --gpu NAME [--data FOLDER] [--out FILE]\n"
        "echo-calibrate transfer [--data FOLDER]\n"
        "echo-calibrate networks [--out FOLDER]\n"
        "echo-calibrate overlaps [--table FILE]\n"
        "echo-calibrate training [--table FILE]\n"
        "echo-calibrate processors [--table FILE]\n"
        "echo-calibrate errors [--table FILE] [--out FILE] [--runs FILE.csv] [--check]\n"
        "echo-calibrate memory-errors [--table FILE] [--check]\n"
        "echo-calibrate practice [--table FILE] [--out FILE]\n"
        "echo-calibrate held-out [--stock] [--table FILE] [--out FILE.csv]\n"
        "echo-calibrate settle [--unseen] [--runs N] [--table FILE]\n"
        "echo-calibrate ablation [--table FILE]\n",
        stderr);
    return 2;
  } catch (const echo::UserError& error) {
    std::fprintf(stderr, "error: %s\n", echo::printable(error.what()).c_str());
    return error.exit_code();
  }
}
