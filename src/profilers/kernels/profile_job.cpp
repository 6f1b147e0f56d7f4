#include "profilers/kernels/profile_job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "profilers/kernels/kernel_choice.hpp"
#include "profilers/kernels/launch_table.hpp"
#include "profilers/kernels/profile_grid.hpp"
#include "profilers/kernels/profile_rows.hpp"
#include "profilers/kernels/profile_text.hpp"
#include "profilers/overlap/overlap_schedule.hpp"
#include "storage/profile_file.hpp"

namespace echo::profilers {

namespace {

// Whatever the budget cuts off, the measured part then covers the whole grid.
std::vector<ops::KernelKey> grid_in_any_order(std::uint64_t seed) {
  const std::vector<ops::KernelKey> grid = octave_grid();
  std::vector<ops::KernelKey> out;
  for (const std::int32_t i : shuffled(static_cast<std::int32_t>(grid.size()), seed, 0))
    out.push_back(grid[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

ProfileJob::ProfileJob(const ProfileOptions& options) : options_(options), gpu_(options.gpu) {
  const std::string& table = options_.gaps.empty() ? options_.kernels : options_.gaps;
  if (!table.empty()) table_ = CsvTable::read_file(table);
  if (is_replay()) read_replay();
  if (!options_.out.empty() && std::filesystem::exists(options_.out)) {
    there_ = storage::read_profile(options_.out).profile;
    refuse_other_warmth();
  }
  choose_for(gpu_, 0);
}

void ProfileJob::read_replay() {
  replay_ = read_launch_table(CsvTable::read_file(options_.replay));
  if (!gpu_.empty())
    std::erase_if(replay_, [&](const KernelRuns& runs) { return runs.gpu != gpu_; });
  else if (!replay_.empty())
    gpu_ = replay_.front().gpu;
  const bool is_one =
      std::all_of(replay_.begin(), replay_.end(), [&](const KernelRuns& runs) { return runs.gpu == gpu_; });
  if (replay_.empty() || !is_one)
    throw UserError(
        "\"" + options_.replay + "\" holds launches of " + (is_one ? "no such GPU" : "several GPUs"),
        "choose one of its GPUs with --gpu");
}

void ProfileJob::refuse_other_warmth() const {
  const std::string_view ours = "echo-profile ";
  for (const kernels::Origin& origin : there_.origins)
    if (origin.table.starts_with(ours) && is_warm(origin.table) != options_.is_warm && !is_replay())
      throw UserError("\"" + options_.out + "\" holds kernels measured with operands " +
                          (options_.is_warm ? "from memory" : "in L2"),
                      std::string("one profile cannot have both: write to another file, or ") +
                          (options_.is_warm ? "omit --warm" : "add --warm"));
}

ChosenKernels ProfileJob::wanted() const {
  if (table_ && !options_.gaps.empty()) return read_wanted_kernels(*table_, gpu_);
  if (table_) return {.kernels = read_kernels(*table_), .left_out = {}};
  if (!is_replay()) return {.kernels = grid_in_any_order(options_.seed), .left_out = {}};
  ChosenKernels all;
  for (const KernelRuns& runs : replay_)
    if (std::find(all.kernels.begin(), all.kernels.end(), runs.key) == all.kernels.end())
      all.kernels.push_back(runs.key);
  return all;
}

void ProfileJob::choose_for(const std::string& gpu, std::int32_t compute_capability) {
  gpu_ = gpu;
  chosen_ = chosen(wanted(), {.kinds = options_.kinds,
                              .compute_capability = compute_capability,
                              .gpu = gpu_,
                              .measured = options_.is_again ? nullptr : &there_});
}

std::string ProfileJob::plan() const { return plan_text(chosen_, options_.trains); }

std::vector<KernelRuns> ProfileJob::replayed(const ops::KernelKey& key) const {
  std::vector<KernelRuns> found;
  for (const KernelRuns& runs : replay_)
    if (runs.key == key) found.push_back(runs);
  if (found.empty()) throw UserError("not in the table of launches", "it gets no row", 1);
  return found;
}

void ProfileJob::save(std::span<const KernelRuns> fresh) {
  there_ = kernels::joined(there_, profile_of({fresh.begin(), fresh.end()}));
  static_cast<void>(storage::write_profile(options_.out, there_));
  std::string rows;
  for (const KernelRuns& runs : fresh) rows += launch_table_rows(runs);
  if (!options_.samples.empty()) append_launches(options_.samples, rows);
  saved_ += fresh.size();
  fmt::print("{}: {} of {} kernels\n", options_.out, saved_, chosen_.kernels.size());
  std::fflush(stdout);
}

MeasuringOutcome ProfileJob::run(const Measure& measure, const std::function<double()>& seconds_left) {
  const Measure from_replay = [&](const ops::KernelKey& key) { return replayed(key); };
  return measure_kernels(chosen_.kernels, {.measure = is_replay() ? from_replay : measure,
                                           .seconds_left = seconds_left,
                                           .save = [&](std::span<const KernelRuns> fresh) { save(fresh); }});
}

}  // namespace echo::profilers
