#include "cli/slowdown/overlap_import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/at.hpp"
#include "base/csv.hpp"
#include "base/memory_limit.hpp"
#include "base/named_table.hpp"
#include "base/problems.hpp"
#include "cli/slowdown/profile_import.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/read_file.hpp"
#include "nsight/compute_csv.hpp"
#include "nsight/echo_table.hpp"
#include "nsight/join.hpp"
#include "nsight/sqlite.hpp"
#include "nsight/trace.hpp"
#include "overlaps/dataset_rows.hpp"
#include "storage/overlap_file.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli {
namespace {

using slowdown::OverlapRow;

struct NamedTrace {
  std::string file;
  nsight::Trace trace;
};

struct NamedProfile {
  std::string file;
  std::vector<nsight::ProfiledKernel> kernels;
};

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool communicates(const nsight::Trace& trace) {
  return std::any_of(trace.names.begin(), trace.names.end(),
                     [](const nsight::KernelNames& names) { return names.communicates; });
}

bool is_hdf5(std::string_view bytes) { return bytes.starts_with("\x89HDF\r\n\x1a\n"); }

class Importer {
 public:
  Importer(const OverlapSources& sources, const OverlapChoices& choices, const config::CatalogInputs& presets)
      : sources_(sources), choices_(choices), presets_(presets) {}

  OverlapImport run() {
    for (const std::string& file : sources_.files) attempt([&] { read(file); });
    for (const std::string* file : {&sources_.alone, &sources_.overlapped, &sources_.metrics})
      if (!file->empty() && std::count(sources_.files.begin(), sources_.files.end(), *file) == 0)
        attempt([&] { read(*file); });
    if (problems_.errors() == 0) attempt([&] { add_profiles(); });
    if (problems_.errors() == 0) attempt([&] { join(); });
    problems_.throw_if_any();
    if (out_.data.rows.empty())
      throw UserError("none of the files holds a measured overlap",
                      "name Echo-slowdown's table, a dataset, profiles of steps, or two exports of Nsight "
                      "Systems; rows of profiles that are not recommended go into tables only (-o ROWS.csv)");
    return std::move(out_);
  }

 private:
  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems())
        problems_.error(problem.place, problem.what, problem.remedy);
    }
  }

  void read(const std::string& file) {
    if (is_torch_profile(file)) return profiled_.push_back(file);
    (void)within_memory(file, [&] {
      read_any(file);
      return true;
    });
  }
  void read_any(const std::string& file) {
    const auto bytes = config::read_whole_file(file);
    if (!bytes)
      problems_.error({file, 0, 0, 1}, "the file cannot be read", "check the path and its permissions");
    else if (is_hdf5(*bytes))
      add_dataset(file);
    else if (nsight::is_sqlite(*bytes))
      traces_.push_back({file, nsight::read_trace(file)});
    else if (nsight::is_compute_csv(*bytes) && !bytes->starts_with("ID,Kernel Name,Compute throughput"))
      profiles_.push_back({file, nsight::read_compute_csv(*bytes, file)});
    else if (bytes->starts_with("PK\x03\x04"))
      problems_.error({file, 0, 0, 1}, "it is a spreadsheet",
                      "of Echo-slowdown: python -m echo_sweep merge STATS.xlsx kernel_metric_output.csv > "
                      "merged.csv, then import that");
    else if (const std::string format = step_format(file); !format.empty())
      problems_.error({file, 0, 0, 1}, no_times_of(format), "import the profile it was made of");
    else
      add_table(file, CsvTable::parse(*bytes, file));
  }

  // --- files that contain rows
  void add_dataset(const std::string& file) {
    const slowdown::OverlapData data = storage::read_overlaps(file).data;
    const auto shift = static_cast<std::int32_t>(out_.data.origins.size());
    out_.data.origins.insert(out_.data.origins.end(), data.origins.begin(), data.origins.end());
    for (OverlapRow row : data.rows) {
      row.origin += shift;
      out_.data.rows.push_back(std::move(row));
    }
    out_.parts.push_back({file + ": dataset", std::ssize(data.rows), {}});
  }

  void add_table(const std::string& file, const CsvTable& table) {
    if (nsight::is_echo_part(table))
      return problems_.error(table.header_place(),
                             "it is a part of Echo-slowdown's table, without times alone and overlapped",
                             "give merged_features.csv, or make it: python -m echo_sweep merge STATS.xlsx "
                             "kernel_metric_output.csv > merged.csv");
    if (!nsight::is_echo_table(table))
      return problems_.error(
          table.header_place(), "this is not a known table of measured overlaps",
          "Echo-slowdown's has kShortName, ground_truth, duration and overlap_ratio, Nsight "
          "Compute's begins with ID and has Kernel Name");
    const std::string gpu = gpu_of(file, "");
    nsight::EchoTable read = nsight::read_echo_table(table, gpu);
    check_sm_count(file, gpu, read.sm_count);
    OverlapPart part{file + ": Echo-slowdown's table", std::ssize(read.rows), {}};
    if (read.above_full > 0)
      part.notes.push_back(fmt::format("{} percentages above 100 are taken as 100: replay passes differ",
                                       text::show_count(read.above_full)));
    add_rows(std::move(read.rows), last_name(file));
    out_.parts.push_back(std::move(part));
  }

  void add_rows(std::vector<OverlapRow> rows, const std::string& source) {
    const auto origin = static_cast<std::int32_t>(out_.data.origins.size());
    out_.data.origins.push_back(
        {choices_.source.empty() ? source : choices_.source, choices_.license, choices_.measured_by});
    for (OverlapRow& row : rows) {
      row.origin = origin;
      row.clock_mhz = choices_.clock_mhz;
      out_.data.rows.push_back(std::move(row));
    }
  }

  // --- GPU
  // The name of the preset. `said`: the driver's name of the GPU in the file, or empty.
  std::string gpu_of(const std::string& file, const std::string& said) {
    const std::string& name = choices_.gpu.empty() ? said : choices_.gpu;
    if (name.empty())
      throw UserError({Problem{{file, 0, 0, 1},
                               "the file does not name the measured GPU",
                               "pass --gpu NAME (echo-sweep presets list gpus)"}});
    const std::int32_t gpu = find_named(presets_.catalog.gpus, presets_.aliases.resolve("gpu", name));
    if (gpu >= 0) return presets_.catalog.gpus[at(gpu)].name;
    std::vector<std::string> known;
    for (const machine::GpuSpec& spec : presets_.catalog.gpus) known.push_back(spec.name);
    throw UserError(
        {Problem{{file, 0, 0, 1},
                 "no preset for gpu \"" + name + "\"",
                 choices_.gpu.empty() ? "pass --gpu NAME (echo-sweep presets list gpus)"
                                      : config::suggest(name, known, "echo-sweep presets list gpus")}});
  }

  void check_sm_count(const std::string& file, const std::string& gpu, std::int32_t found) {
    const machine::GpuSpec& spec = presets_.catalog.gpus[at(find_named(presets_.catalog.gpus, gpu))];
    if (found != 0 && spec.sm_count != 0 && found != spec.sm_count)
      throw UserError(
          {Problem{{file, 0, 0, 1},
                   fmt::format("measured on a GPU with {} SMs, {} has {}", found, gpu, spec.sm_count),
                   "pass --gpu with the GPU it was measured on"}});
  }

  // --- profiles of steps, with kernels both alone and beside communication
  void add_profiles() {
    std::vector<std::string> exported;
    const bool is_paired = traces_.size() != 1 || !sources_.alone.empty() || !sources_.overlapped.empty();
    if (!is_paired && communicates(traces_.front().trace)) {
      exported.push_back(traces_.front().file);
      traces_.clear();
    }
    if (profiled_.empty() && exported.empty()) return;
    const overlaps::Imported imported = import_profile_files(profiled_, exported);
    for (std::size_t i = 0; i < imported.profiles.size(); ++i)
      attempt([&] { add_profile(imported.profiles[i], imported.overlaps[i]); });
  }

  void add_profile(const overlaps::Profile& profile, const overlaps::ProfileOverlaps& found) {
    const std::string gpu = gpu_of(profile.path, profile.driver_gpu);
    check_sm_count(profile.path, gpu, profile.sm_count);
    overlaps::DatasetRows rows = overlaps::dataset_rows(profile, found, gpu);
    OverlapPart part{profile.path + ": " + profile.format, std::ssize(rows.rows), {}};
    for (const std::map<std::string, std::int64_t>* reasons :
         {&found.left_out, &std::as_const(rows).left_out})
      for (const auto& [why, count] : *reasons)
        part.notes.push_back(fmt::format("left out {:>6}  {}", text::show_count(count), why));
    if (!rows.rows.empty()) add_rows(std::move(rows.rows), profile.trace);
    out_.parts.push_back(std::move(part));
  }

  // --- two runs and a profile
  void join() {
    if (traces_.empty() && profiles_.empty()) return;
    const std::size_t with = overlapped_run();
    const NamedTrace &overlapped = traces_[with], &alone = traces_[1 - with];
    if (profiles_.size() > 1)
      throw UserError("only one Nsight Compute table of metrics is possible",
                      "name one of " + names_of_profiles());
    const nsight::Trace& run = overlapped.trace;
    const std::string gpu = gpu_of(overlapped.file, run.gpu);
    check_sm_count(overlapped.file, gpu, run.sm_count);
    const std::vector<nsight::ProfiledKernel> none;
    const auto& metrics = profiles_.empty() ? none : profiles_.front().kernels;
    if (!metrics.empty()) check_sm_count(profiles_.front().file, gpu, metrics.front().sm_count);
    nsight::Joined joined = nsight::join_runs({alone.trace, run, metrics, gpu});
    const auto rows = std::ssize(joined.rows);
    add_rows(std::move(joined.rows), last_name(alone.file) + " and " + last_name(overlapped.file));
    OverlapPart part{
        alone.file + " (alone) and " + overlapped.file + " (overlapped): Nsight Systems", rows, {}};
    part.notes = notes_of(joined, alone, overlapped);
    out_.parts.push_back(std::move(part));
  }

  // Decides which of the two runs has communication: by name, otherwise by its kernels.
  [[nodiscard]] std::size_t overlapped_run() const {
    const std::string missing =
        "one Nsight Systems export of a run with communication is needed, or two: a run without it and the "
        "same run with it";
    if (traces_.size() != 2) throw UserError(missing, "name exactly these exports");
    for (const std::size_t i : {0U, 1U})
      if (traces_[i].file == sources_.overlapped || traces_[1 - i].file == sources_.alone) return i;
    if (communicates(traces_[0].trace) == communicates(traces_[1].trace))
      throw UserError(missing, "name them: --alone FILE.sqlite --overlapped FILE.sqlite");
    return communicates(traces_[1].trace) ? 1 : 0;
  }

  [[nodiscard]] std::string names_of_profiles() const {
    std::vector<std::string> names;
    for (const NamedProfile& one : profiles_) names.push_back(one.file);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  [[nodiscard]] std::vector<std::string> notes_of(const nsight::Joined& joined, const NamedTrace& alone,
                                                  const NamedTrace& overlapped) const {
    std::vector<std::string> notes{
        fmt::format("of {} kernels that compute in the overlapped run", text::show_count(joined.kernels))};
    if (!profiles_.empty())
      notes.push_back(fmt::format("{} rows with the metrics of {}", text::show_count(joined.with_metrics),
                                  profiles_.front().file));
    for (const auto& [why, count] : joined.left_out)
      notes.push_back(fmt::format("left out {:>6}  {}", text::show_count(count), why));
    if (const std::int64_t lost = alone.trace.without_time + overlapped.trace.without_time; lost > 0)
      notes.push_back(fmt::format("left out {:>6}  without a time", text::show_count(lost)));
    return notes;
  }

  const OverlapSources& sources_;
  const OverlapChoices& choices_;
  const config::CatalogInputs& presets_;
  Problems problems_;
  std::vector<std::string> profiled_;  // of torch.profiler
  std::vector<NamedTrace> traces_;
  std::vector<NamedProfile> profiles_;
  OverlapImport out_;
};

}  // namespace

OverlapImport import_overlaps(const OverlapSources& sources, const OverlapChoices& choices,
                              const config::CatalogInputs& presets) {
  return Importer(sources, choices, presets).run();
}

std::string import_text(const OverlapImport& imported) {
  std::string text;
  for (const OverlapPart& part : imported.parts) {
    text += fmt::format("{}, {} rows\n", part.what, text::show_count(part.rows));
    for (const std::string& note : part.notes) text += "  " + note + "\n";
  }
  std::set<std::string> names, kernels, gpus;
  std::int64_t overlapping = 0;
  double alone = 0.0, overlapped = 0.0;  // sums over rows that overlap
  for (const OverlapRow& row : imported.data.rows) {
    names.insert(row.kernel);
    kernels.insert(row.kernel + "\n" + row.full_name);
    gpus.insert(row.gpu);
    if (row.overlap_ratio <= 0.0) continue;
    ++overlapping, alone += row.alone, overlapped += row.overlapped;
  }
  text += fmt::format("{} rows, {} with overlap; {} functions, {} kernels; {}\n",
                      text::show_count(std::ssize(imported.data.rows)), text::show_count(overlapping),
                      names.size(), kernels.size(), fmt::join(gpus, ", "));
  if (overlapping > 0)
    text +=
        fmt::format("kernels that overlap take {} alone and {} overlapped, {:+.1f} %\n",
                    text::show_time(alone), text::show_time(overlapped), 100.0 * (overlapped / alone - 1.0));
  return text;
}

}  // namespace echo::cli
