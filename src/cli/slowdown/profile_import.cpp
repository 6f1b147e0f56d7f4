#include "cli/slowdown/profile_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "base/problems.hpp"
#include "nsight/kernel_class.hpp"
#include "nsight/sqlite.hpp"
#include "overlaps/readers/kineto_profile.hpp"
#include "overlaps/readers/nsight_profile.hpp"
#include "overlaps/rows_csv.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"
#include "trace_io/format.hpp"
#include "trace_io/io/byte_source.hpp"
#include "trace_io/kineto/kineto_trace.hpp"

namespace echo::cli {

namespace {

using overlaps::Imported;
using overlaps::Observation;
using overlaps::Profile;

struct Counts {
  std::int64_t rows = 0, recommended = 0, collectives = 0;
};
Counts counts_of(const overlaps::ProfileOverlaps& found) {
  Counts out;
  for (const Observation& row : found.rows) {
    ++out.rows;
    if (row.is_recommended) ++out.recommended;
    if (row.is_collective) ++out.collectives;
  }
  return out;
}

std::vector<std::string> doubts_of(const Profile& profile) {
  std::vector<std::string> out;
  if (profile.gpu.empty()) out.push_back("it does not name the GPU; pass --gpu NAME, as the driver calls it");
  if (profile.is_sm_count_inferred)
    out.push_back(fmt::format("{} SMs, from blocks and blocks per SM", profile.sm_count));
  if (profile.sm_count == 0) out.push_back("it does not say how many SMs the GPU has");
  if (profile.of_other_gpus > 0)
    out.push_back(
        fmt::format("left out {:>6}  activities of other GPUs", text::show_count(profile.of_other_gpus)));
  return out;
}

std::vector<std::string> notes_of(const Profile& profile, const overlaps::ProfileOverlaps& found) {
  std::vector<std::string> out = doubts_of(profile);
  for (const auto& [reason, count] : found.left_out)
    out.push_back(fmt::format("left out {:>6}  {}", text::show_count(count), reason));
  return out;
}

// Goes on after what is wrong with one file.
template <class Action>
void attempt(Problems& problems, Action action) {
  try {
    action();
  } catch (const UserError& error) {
    for (const Problem& problem : error.problems())
      problems.error(problem.place, problem.what, problem.remedy);
  }
}

// --- the medians
struct Group {
  std::vector<std::pair<double, double>> slowdowns;  // value, weight
  double weight = 0.0;
};
using Groups = std::map<std::tuple<std::string, std::string, std::string>, Group>;  // GPU, class, collective

Groups groups_of(const Imported& imported) {
  Groups groups;
  for (std::size_t i = 0; i < imported.profiles.size(); ++i) {
    const Profile& profile = imported.profiles[i];
    for (const Observation& row : imported.overlaps[i].rows) {
      if (!row.is_recommended) continue;
      const auto& one = profile.activities[at(row.activity)];
      const auto& other = profile.activities[at(row.collective)];
      const std::string kind =
          row.is_collective
              ? "comm"
              : std::string(nsight::kernel_class_names[at(nsight::class_of(profile.texts[one.name]))]);
      const std::string& beside = profile.collectives[at(other.collective)].kind;
      Group& group =
          groups[{profile.gpu.empty() ? "unknown" : profile.gpu, kind, beside.empty() ? "unknown" : beside}];
      group.slowdowns.push_back({row.slowdown, row.weight});
      group.weight += row.weight;
    }
  }
  for (auto& [key, group] : groups) std::sort(group.slowdowns.begin(), group.slowdowns.end());
  return groups;
}

double median_of(const Group& group) {
  double below = 0.0;
  for (const auto& [value, weight] : group.slowdowns)
    if ((below += weight) >= 0.5 * group.weight) return value;
  return group.slowdowns.back().first;
}

}  // namespace

bool is_torch_profile(const std::string& path) {
  if (!path.ends_with(".json") && !path.ends_with(".json.gz")) return false;
  trace_io::ByteSource source(path);
  constexpr std::size_t head = 65536;
  return trace_io::is_kineto_file(path, source.bytes(head));
}

std::string step_format(const std::string& path) {
  trace_io::ByteSource source(path);
  constexpr std::size_t most = 65536;
  const std::string head(source.bytes(most));
  for (const trace_io::Format* format : trace_io::format_table())
    if (format->recognises(path, head)) return format->name;
  return "";
}

std::string no_times_of(const std::string& format) {
  return "a step of format \"" + format +
         "\" says how long each op took, not when it ran, so that it holds no overlaps";
}

ProfileFiles profile_files(const std::vector<std::string>& files) {
  ProfileFiles out;
  Problems problems;
  constexpr std::size_t most = 16;
  for (const std::string& path : files) {
    attempt(problems, [&] {
      if (is_torch_profile(path)) {
        out.torch.push_back(path);
      } else if (trace_io::ByteSource source(path); nsight::is_sqlite(source.bytes(most))) {
        out.nsight.push_back(path);
      } else if (const std::string format = step_format(path); !format.empty()) {
        problems.error({path, 0, 0, 1}, no_times_of(format), "import the profile it was made of");
      } else {
        problems.error({path, 0, 0, 1}, "it is no profile of a step",
                       "name profiles of torch.profiler (.json, .json.gz) or exports of Nsight Systems "
                       "(nsys export --type sqlite); tables and datasets go into datasets: -o OUT.h5");
      }
    });
  }
  problems.throw_if_any();
  if (files.empty())
    throw UserError("slowdown import takes at least 1 file",
                    "echo-sweep slowdown import TRACE... -o ROWS.csv");
  return out;
}

Imported import_profile_files(const std::vector<std::string>& torch, const std::vector<std::string>& nsight) {
  std::vector<Profile> profiles;
  Problems problems;
  for (const std::string& path : torch)
    attempt(problems, [&] { profiles.push_back(overlaps::read_kineto_profile(path)); });
  for (const std::string& path : nsight)
    attempt(problems, [&] {
      for (Profile& one : overlaps::read_nsight_profiles(path)) profiles.push_back(std::move(one));
    });
  problems.throw_if_any();
  return overlaps::import_profiles(std::move(profiles));
}

std::string profile_rows_csv(const Imported& imported, const ProfileChoices& choices) {
  std::string out = overlaps::rows_header();
  for (std::size_t i = 0; i < imported.profiles.size(); ++i) {
    const overlaps::RowOrigin origin{choices.source, overlaps::name_giver(imported, imported.runs[i]).trace,
                                     choices.gpu};
    for (const Observation& row : imported.overlaps[i].rows)
      out += overlaps::row_text(imported.profiles[i], row, origin);
  }
  return out;
}

std::string profile_import_text(const Imported& imported) {
  std::string out;
  Counts all;
  for (std::size_t i = 0; i < imported.profiles.size(); ++i) {
    const Profile& profile = imported.profiles[i];
    const overlaps::ProfileOverlaps& found = imported.overlaps[i];
    const Counts counts = counts_of(found);
    all.rows += counts.rows, all.recommended += counts.recommended;
    out += fmt::format("{}: {}, {}\n", profile.path, profile.format,
                       profile.gpu.empty() ? "GPU unknown" : profile.gpu);
    out += fmt::format("  {} kernels, {} of work that also ran alone, {} collectives\n",
                       text::show_count(found.kernels), text::show_count(found.kernels_with_alone),
                       text::show_count(found.collectives));
    out +=
        fmt::format("  {} rows, {} of them of collectives; {} recommended\n", text::show_count(counts.rows),
                    text::show_count(counts.collectives), text::show_count(counts.recommended));
    for (const std::string& note : notes_of(profile, found)) out += "  " + note + "\n";
  }
  const std::int32_t runs = *std::max_element(imported.runs.begin(), imported.runs.end()) + 1;
  out += fmt::format("{} rows of {} profiles, {} runs; {} recommended\n", text::show_count(all.rows),
                     imported.profiles.size(), runs, text::show_count(all.recommended));
  const Groups groups = groups_of(imported);
  if (groups.empty()) return out;
  text::TextTable table({"<GPU", "<class", "<beside", "rows", "distinct", "median slowdown"});
  for (const auto& [key, group] : groups) {
    const auto& [gpu, kind, beside] = key;
    table.add({gpu, kind, beside, text::show_count(std::ssize(group.slowdowns)),
               fmt::format("{:.0f}", group.weight), fmt::format("{:.2f}", median_of(group))});
  }
  return out + "\nrecommended rows; each distinct kernel of a profile counts once in a median\n" +
         table.text();
}

std::string profile_import_json(const Imported& imported, const std::string& output) {
  text::Json json;
  std::int64_t rows = 0;
  for (const auto& found : imported.overlaps) rows += std::ssize(found.rows);
  json.open_object().member("file", output).member("rows", rows).key("profiles").open_array();
  for (std::size_t i = 0; i < imported.profiles.size(); ++i) {
    const Profile& profile = imported.profiles[i];
    const overlaps::ProfileOverlaps& found = imported.overlaps[i];
    const Counts counts = counts_of(found);
    json.open_object().member("file", profile.path).member("format", profile.format);
    json.member("gpu", profile.gpu).member("sm_count", profile.sm_count).member("rank", profile.rank);
    json.member("world", profile.world).member("run", imported.runs[i]);
    json.member("kernels", found.kernels).member("kernels_with_alone", found.kernels_with_alone);
    json.member("collectives", found.collectives).member("rows", counts.rows);
    json.member("rows_of_collectives", counts.collectives).member("recommended", counts.recommended);
    json.key("notes").open_array();
    for (const std::string& note : doubts_of(profile)) json.value(note);
    json.close().key("left_out").open_object();
    for (const auto& [reason, count] : found.left_out) json.member(reason, count);
    json.close().close();
  }
  json.close().key("medians").open_array();
  for (const auto& [key, group] : groups_of(imported)) {
    const auto& [gpu, kind, beside] = key;
    json.open_object().member("gpu", gpu).member("class", kind).member("beside", beside);
    json.member("rows", std::ssize(group.slowdowns)).member("weight", group.weight);
    json.member("slowdown", median_of(group)).close();
  }
  json.close().close();
  return json.text();
}

}  // namespace echo::cli
