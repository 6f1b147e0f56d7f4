#include "results/write/update_file.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "results/rank/objectives.hpp"
#include "results/rank/robust_front.hpp"
#include "results/rank/row_errors.hpp"
#include "results/write/front_group.hpp"
#include "results/write/layout.hpp"
#include "settle/conditioning.hpp"
#include "settle/run_noise.hpp"
#include "storage/unfinished_file.hpp"

namespace echo::results {
namespace {

using storage::ElementType;
using storage::Hdf5File;

constexpr const char* here = "/measured/";

settle::Conditioning conditioned_on(const ResultRows& rows, std::span<const RunOfRow> runs) {
  const ErrorColumns errors(rows);
  std::vector<settle::MeasuredRun> measured;
  for (const RunOfRow& run : runs) {
    const Table one = rows.pick(std::span(&run.row, 1));
    Scan scan(one, errors.names());
    static_cast<void>(scan.next());
    measured.push_back({.row = run.row,
                        .error = errors.at(scan, 0, 0),
                        .surprise = std::log(run.step_time / one.number("step_time", 0)),
                        .noise = settle::noise_variance(run.steps)});
  }
  return settle::Conditioning(measured);
}

void describe(Hdf5File& file, const std::string& name, const char* units, const char* long_name) {
  file.set_attribute(here + name, "units", units);
  file.set_attribute(here + name, "long_name", long_name);
}

template <class Value>
void add_of_runs(Hdf5File& file, const std::string& name, ElementType type, const std::vector<Value>& values,
                 const char* units, const char* long_name) {
  file.make_dataset({here + name, type, {values.size()}, {}});
  file.write_rows(here + name, 0, values.size(), values.data());
  describe(file, name, units, long_name);
  if (name == "run")
    file.make_scale(here + name);
  else
    file.attach_scale(here + name, 0, "/measured/run");
}

void write_runs(Hdf5File& file, std::span<const RunOfRow> runs) {
  std::vector<std::int32_t> numbers, rows, steps;
  std::vector<double> times, noise;
  for (const RunOfRow& run : runs) {
    numbers.push_back(static_cast<std::int32_t>(numbers.size()));
    rows.push_back(static_cast<std::int32_t>(run.row));
    steps.push_back(static_cast<std::int32_t>(run.steps));
    times.push_back(run.step_time);
    noise.push_back(std::sqrt(settle::noise_variance(run.steps)));
  }
  add_of_runs(file, "run", ElementType::i4, numbers, "1", "number of the run");
  add_of_runs(file, "config", ElementType::i4, rows, "1", "row of the file");
  add_of_runs(file, "step_time", ElementType::f8, times, "s", "measured step time, mean over its steps");
  add_of_runs(file, "steps", ElementType::i4, steps, "1", "steps that it is the mean of");
  add_of_runs(file, "noise", ElementType::f8, noise, "1",
              "one standard deviation of ln(measured / the layout's own step time)");
}

void make_row_values(Hdf5File& file, const std::string& name, std::uint64_t rows, std::uint64_t runs,
                     const char* long_name) {
  const bool is_explained = runs > 0;
  const std::uint64_t chunk = std::min<std::uint64_t>(rows, scan_rows);
  file.make_dataset({here + name, ElementType::f8,
                     is_explained ? storage::Shape{rows, runs} : storage::Shape{rows},
                     is_explained ? storage::Shape{chunk, runs} : storage::Shape{chunk}});
  describe(file, name, "1", long_name);
  file.attach_scale(here + name, 0, "/config");
  if (is_explained) file.attach_scale(here + name, 1, "/measured/run");
}

// What the runs say of a stretch of rows.
struct Stretch {
  std::vector<double> shift, rel_error, rel_error_p90, explained;

  void add(const settle::Conditioning& known, std::int64_t row, const RowError& error, double sigma,
           double p90) {
    auto about = known.about(row, error);
    const double before = settle::step_variance(error),
                 after = settle::step_variance(known.remaining(error, about.explained));
    const double left = before > 0.0 ? std::sqrt(after / before) : 1.0;
    shift.push_back(std::isnan(sigma) ? sigma : about.shift);
    rel_error.push_back(sigma * left), rel_error_p90.push_back(p90 * left);
    explained.insert(explained.end(), about.explained.begin(), about.explained.end());
  }
  void write(Hdf5File& file, std::int64_t first) const {
    const auto put = [&](const std::string& name, const std::vector<double>& values) {
      file.write_rows(here + name, static_cast<std::uint64_t>(first), shift.size(), values.data());
    };
    put("shift", shift), put("rel_error", rel_error), put("rel_error_p90", rel_error_p90),
        put("explained", explained);
  }
};

void write_rows_explained(Hdf5File& file, const ResultRows& rows, const settle::Conditioning& known) {
  const ErrorColumns errors(rows);
  std::vector<std::string> columns{"rel_error", "rel_error_p90"};
  columns.insert(columns.end(), errors.names().begin(), errors.names().end());
  for (Scan scan(rows, columns); scan.next();) {
    Stretch stretch;
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i)
      stretch.add(known, scan.first() + static_cast<std::int64_t>(i), errors.at(scan, 2, i),
                  scan.values(0)[i], scan.values(1)[i]);
    stretch.write(file, scan.first());
  }
}

void write_measured(Hdf5File& file, const ResultRows& rows, std::span<const RunOfRow> runs) {
  const settle::Conditioning known = conditioned_on(rows, runs);
  const auto count = static_cast<std::uint64_t>(rows.rows());
  file.make_group("/measured");
  file.set_attribute("/measured", "spread", known.spread());
  write_runs(file, runs);
  make_row_values(file, "shift", count, 0, "expected ln(true step time / step_time) after the runs");
  make_row_values(file, "rel_error", count, 0, "rel_error that remains after the runs");
  make_row_values(file, "rel_error_p90", count, 0, "rel_error_p90 that remains after the runs");
  make_row_values(file, "explained", count, runs.size(),
                  "what each run took off the error of the row, before the factor spread");
  write_rows_explained(file, rows, known);
}

void remove_measured(Hdf5File& file) {
  for (const char* name : {"shift", "rel_error", "rel_error_p90", "explained"})
    file.detach_scale(std::string(here) + name, 0, "/config");
  file.remove("/measured");
}

// Closes the file between: the front is read as the runs have it.
void renew_front(const std::filesystem::path& path) {
  std::vector<FrontPoint> front;
  std::vector<ColumnInfo> columns;
  std::vector<sweep::Objective> objectives;
  {
    const UpdatedFile rows(path);
    objectives = two_objectives(rows.state().objectives);
    front = robust_front(rows, objectives[0], objectives[1]);
    for (const auto& objective : objectives) columns.push_back(rows.at(objective.metric));
  }
  Hdf5File file(path, Hdf5File::Mode::update);
  if (file.has("/pareto")) file.remove("/pareto");
  if (!front.empty()) write_front(file, front, objectives, columns);
  describe_groups(file);
  file.close();
}

}  // namespace

void update_file(const std::filesystem::path& from, std::span<const RunOfRow> runs,
                 const std::filesystem::path& out) {
  storage::UnfinishedFile unfinished(out);
  std::error_code failed;
  std::filesystem::copy_file(from, unfinished.path(), std::filesystem::copy_options::overwrite_existing,
                             failed);
  if (failed)
    throw UserError("\"" + out.string() + "\" cannot be written: " + failed.message(),
                    "write elsewhere with -o", 5);
  {
    Hdf5File file(unfinished.path(), Hdf5File::Mode::update);
    if (file.has("/measured")) remove_measured(file);
    write_measured(file, ResultFile(from), runs);
    file.close();
  }
  renew_front(unfinished.path());
  unfinished.move_into_place();
}

}  // namespace echo::results
