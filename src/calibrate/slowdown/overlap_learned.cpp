// A row becomes an example as a dataset of measured overlaps would have it. Echo's overlap ratio is the share
// of the kernel's work that was done beside communication: all but what ran at full speed in the rest of the
// measured time. What a profile has of Echo's metrics is the duration, the resources of the launch and the
// occupancy; the others are unknown to the trees.
#include "calibrate/slowdown/overlap_learned.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/slowdown/overlap_fit.hpp"
#include "learn/candidates/baselines.hpp"
#include "learn/candidates/learned_candidates.hpp"
#include "learn/fit/booster.hpp"

namespace echo::calibrate {

namespace {

using slowdown::ProfileRow;

constexpr std::int32_t folds = 10, repeats = 1;
constexpr std::uint64_t seed = 1;

learn::Example example_of(const ProfileRow& row, HeldOut held_out) {
  learn::Example out;
  out.row.kernel = held_out_key(row, held_out);  // groups of rows are by this name
  out.row.full_name = row.kernel_class;
  out.row.alone = row.alone, out.row.overlapped = row.alone * row.slowdown;
  out.row.overlap_ratio = std::clamp(1.0 - (1.0 - row.beside) * row.slowdown, 0.0, 1.0);
  out.row.metrics = row.metrics;
  out.pair = {row.kernel, row.collective, row.machine};
  return out;
}

// The white box with the constants that overlap_fit.hpp finds in the rows it is given.
learn::Candidate fitted_white_box(std::span<const ProfileRow> all) {
  return {.name = "white box",
          .what = "SMs in rounds, HBM bandwidth, wait under load",
          .settings = {""},
          .fit = [all](const learn::Examples& examples, learn::Rows rows, std::uint64_t) {
            std::vector<ProfileRow> seen;
            for (const std::int32_t i : rows) seen.push_back(all[i]);
            const OverlapFit fit = fit_overlaps(seen);
            const learn::Example* const first = examples.rows.data();
            return std::vector<learn::Fitted>{{.slowdown = [all, fit, first](const learn::Example& example) {
              return factor_with(fit, all[&example - first]) - 1.0;
            }}};
          }};
}

std::vector<learn::Candidate> candidates_of(std::span<const ProfileRow> rows) {
  std::vector<learn::Candidate> out{
      learn::no_slowdown(),
      learn::median_by("median by class", "median slowdown of the class of kernel",
                       [](const slowdown::OverlapRow& row) -> const std::string& { return row.full_name; }),
      fitted_white_box(rows)};
  if (!learn::is_built_with_xgboost()) return out;
  out.push_back(learn::echo_settings());
  out.push_back(learn::learned(learn::Function::trees, learn::Foundation::nothing));
  out.push_back(learn::learned(learn::Function::trees, learn::Foundation::white_box));
  return out;
}

}  // namespace

std::string held_out_key(const ProfileRow& row, HeldOut held_out) {
  if (held_out == HeldOut::run) return row.group;
  const std::string gpu = row.gpu.substr(0, 4);
  if (held_out == HeldOut::gpu) return gpu;
  return gpu + " " + row.collective_name + std::to_string(row.collective.channels);
}

learn::NestedReport compare_learned(std::span<const ProfileRow> rows, HeldOut held_out) {
  learn::Examples examples{.features = slowdown::FeatureSet::simulator};
  for (const ProfileRow& row : rows) examples.rows.push_back(example_of(row, held_out));
  return evaluate_nested(
      candidates_of(rows), examples,
      {.grouping = learn::Grouping::kernel, .folds = folds, .seed = seed, .repeats = repeats});
}

void print_learned(std::span<const ProfileRow> rows) {
  constexpr std::pair<HeldOut, const char*> ways[] = {
      {HeldOut::run, "runs held out"},
      {HeldOut::gpu, "GPU kinds held out"},
      {HeldOut::collective, "collectives of a GPU kind held out"}};
  for (const auto& [held_out, name] : ways) {
    const learn::NestedReport report = compare_learned(rows, held_out);
    fmt::print("\n{}: mean error in %; advantage over no slowdown in points, +- its standard error; bias\n",
               name);
    const auto line = [&](const learn::CandidateReport& one) {
      const learn::Margin margin = margins_of(report, one).front();
      fmt::print("  {:<24} {:>6.2f}   {:>+6.2f} +- {:<5.2f} {:>+7.2f}\n", one.name, 100.0 * one.all.mean,
                 100.0 * margin.advantage, 100.0 * margin.doubt, 100.0 * one.all.total);
    };
    for (const learn::CandidateReport& one : report.candidates) line(one);
    line(report.chosen);
  }
}

}  // namespace echo::calibrate
