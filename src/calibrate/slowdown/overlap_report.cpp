// Prints the fit of overlap_fit.cpp and its errors on rows that it has not seen.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "calibrate/slowdown/overlap_fit.hpp"
#include "calibrate/slowdown/overlap_learned.hpp"

namespace echo::calibrate {

namespace {

using slowdown::ProfileRow;
using Key = std::function<std::string(const ProfileRow&)>;
using Predict = std::function<double(const ProfileRow&)>;

struct Errors {
  int rows = 0;
  double sum = 0.0, measured = 0.0, predicted = 0.0;

  void add(const ProfileRow& row, double predicted_slowdown) {
    ++rows;
    sum += std::abs(predicted_slowdown / row.slowdown - 1.0);
    measured += row.slowdown * row.alone, predicted += predicted_slowdown * row.alone;
  }
  [[nodiscard]] double mean() const { return 100.0 * sum / rows; }
  [[nodiscard]] double bias() const { return 100.0 * (predicted / measured - 1.0); }
};

// Mean and standard error of the mean over groups, in percent.
struct OverGroups {
  double mean = 0.0, error = 0.0;
};
OverGroups over_groups(const std::map<std::string, Errors>& groups) {
  double sum = 0.0, squares = 0.0;
  const auto count = static_cast<double>(groups.size());
  for (const auto& [name, errors] : groups) sum += errors.mean(), squares += errors.mean() * errors.mean();
  const double mean = sum / count;
  const double variance = count > 1.0 ? std::max(0.0, squares / count - mean * mean) / (count - 1.0) : 0.0;
  return {mean, std::sqrt(variance)};
}

std::vector<ProfileRow> usable(std::vector<ProfileRow> rows) {
  std::erase_if(rows, [](const ProfileRow& row) { return !row.why_not.empty() || !row.recommended; });
  return rows;
}

// SMs in rounds alone: nothing that the profiles taught.
double sms_alone(const ProfileRow& row) {
  ops::KernelPrice kernel = row.kernel;
  if (!row.multiplies) kernel.compute_bound = 0.0;
  return slowdown_beside(row,
                         contend({.latency_under_load = 0.0}, kernel, row.collective, row.machine).kernel);
}

struct Line {
  std::string name;
  Predict predict;
};

void print_errors(const std::vector<ProfileRow>& rows, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    Errors all;
    std::map<std::string, Errors> runs;
    for (const ProfileRow& row : rows) {
      const double predicted = line.predict(row);
      all.add(row, predicted), runs[row.group].add(row, predicted);
    }
    const OverGroups mean = over_groups(runs);
    fmt::print("  {:<34} {:>5} {:>8.2f} {:>8.2f} +- {:<5.2f} {:>+8.2f}\n", line.name, all.rows, all.mean(),
               mean.mean, mean.error, all.bias());
  }
}

// Predictions of each row by a fit on the rows that differ from it in `key`.
Predict held_out(const std::vector<ProfileRow>& rows, const Key& key) {
  std::set<std::string> names;
  for (const ProfileRow& row : rows) names.insert(key(row));
  std::map<std::string, OverlapFit> fits;
  for (const std::string& name : names) {
    std::vector<ProfileRow> others;
    for (const ProfileRow& row : rows)
      if (key(row) != name) others.push_back(row);
    fits[name] = fit_overlaps(others);
  }
  return [fits, key](const ProfileRow& row) {
    return slowdown_beside(row, factor_with(fits.at(key(row)), row));
  };
}

void print_constant(const char* name, const PooledConstant& c, const std::vector<UnitEstimate>& units) {
  fmt::print("{} = {{ value = {:.3g}, error = {:.2g} }}  # of {} units, spread {:.2g}\n", name, c.value,
             std::hypot(c.error, c.spread), c.units, c.spread);
  for (const UnitEstimate& unit : units)
    fmt::print("    {:<52} {:>4} rows  {:>7.2f} +- {:.2f}\n", unit.name, unit.rows, unit.value, unit.error);
}

void print_held_out(const std::vector<ProfileRow>& rows) {
  const OverlapFit all = fit_overlaps(rows);
  const Key run = [](const ProfileRow& row) { return held_out_key(row, HeldOut::run); };
  const Key gpu = [](const ProfileRow& row) { return held_out_key(row, HeldOut::gpu); };
  const Key collective = [](const ProfileRow& row) { return held_out_key(row, HeldOut::collective); };
  const std::vector<Line> lines{{"no slowdown", [](const ProfileRow&) { return 1.0; }},
                                {"SMs in rounds, without load", sms_alone},
                                {"runs held out", held_out(rows, run)},
                                {"GPU kinds held out", held_out(rows, gpu)},
                                {"collectives of a GPU kind held out", held_out(rows, collective)},
                                {"nothing held out", [&](const ProfileRow& row) {
                                   return slowdown_beside(row, factor_with(all, row));
                                 }}};
  fmt::print("\nmean error in %, of rows and of runs +- standard error; bias of the summed time in %\n");
  fmt::print("all\n");
  print_errors(rows, lines);
  std::map<std::string, std::vector<ProfileRow>> parts;
  for (const ProfileRow& row : rows)
    parts[collective(row) + (row.multiplies ? ", products" : ", others")].push_back(row);
  for (const auto& [name, part] : parts) {
    if (part.size() < 5) continue;
    fmt::print("{}\n", name);
    print_errors(part, {lines[0], lines[1], lines[2], lines[4]});
  }
}

}  // namespace

int run_overlaps(std::span<char*> args) {
  std::string file;
  bool learned = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "--learned")
      learned = true;
    else if (arg == "--table" && i + 1 < args.size())
      file = args[++i];
    else
      throw UserError("overlaps: unknown arguments", "echo-calibrate overlaps [--table FILE] [--learned]");
  }
  if (file.empty()) {
    const char* folder = std::getenv("ECHO_DATA_DIR");
    if (folder == nullptr) throw UserError("overlaps: no table", "--table FILE, or set ECHO_DATA_DIR");
    file = std::string(folder) + "/overlap/overlap_rows.csv";
  }
  const CsvTable table = CsvTable::read_file(file);
  if (!slowdown::is_profile_table(table))
    throw UserError(file + " is no table of overlaps by profile", "see src/slowdown/profile_rows.hpp");
  const std::vector<ProfileRow> rows = usable(slowdown::read_profile_rows(table));
  const OverlapFit fit = fit_overlaps(rows);
  print_constant("latency_under_load", fit.latency_under_load, fit.streams);
  print_constant("product_by_memory", fit.product_by_memory, fit.products);
  print_constant("resident_wave_loss", fit.resident_wave_loss, fit.residents);
  print_held_out(rows);
  if (learned) print_learned(rows);
  return 0;
}

}  // namespace echo::calibrate
