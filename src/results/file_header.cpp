#include "results/file_header.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "results/columns.hpp"
#include "results/swept_axes.hpp"

namespace echo::results {
namespace {

using storage::Hdf5File;

constexpr std::array<const char*, 5> count_names{"n_feasible", "n_infeasible", "n_failed", "n_over_budget",
                                                 "n_pending"};

// Members that are texts, under the names of their attributes.
struct TextMember {
  const char* name;
  std::string FileHeader::*member;
};
constexpr std::array<TextMember, 10> texts{{{"name", &FileHeader::name},
                                            {"title", &FileHeader::title},
                                            {"sweep_key", &FileHeader::sweep_key},
                                            {"row_key", &FileHeader::row_key},
                                            {"code_key", &FileHeader::code_key},
                                            {"catalog_key", &FileHeader::catalog_key},
                                            {"calibration_key", &FileHeader::calibration_key},
                                            {"space_key", &FileHeader::space_key},
                                            {"shard", &FileHeader::shard},
                                            {"reliability", &FileHeader::reliability}}};

// The same of [simulate] and [workload].
constexpr std::array<std::pair<const char*, std::string RowSettings::*>, 5> setting_texts{
    {{"slowdown", &RowSettings::slowdown},
     {"contention", &RowSettings::contention},
     {"workload_format", &RowSettings::workload_format},
     {"workload_times", &RowSettings::workload_times},
     {"workload_data_groups", &RowSettings::workload_data_groups}}};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

// "step_time:min gpus:min"
std::string objectives_text(const std::vector<sweep::Objective>& objectives) {
  std::string text;
  for (const auto& [metric, goal] : objectives)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", metric, goal == sweep::Goal::min ? "min" : "max");
  return text;
}

std::vector<sweep::Objective> objectives_of(const std::string& text) {
  std::vector<sweep::Objective> objectives;
  for (const std::string& word : words(text)) {
    const auto colon = word.rfind(':');
    objectives.push_back(
        {word.substr(0, colon), word.ends_with(":max") ? sweep::Goal::max : sweep::Goal::min});
  }
  return objectives;
}

std::string input_names() {
  std::string names;
  for (const Column& column : column_table())
    if (column.role == Role::input) names += (names.empty() ? "" : " ") + std::string(column.path);
  return names;
}

void write_settings(Hdf5File& file, const RowSettings& settings) {
  for (const auto& [name, member] : setting_texts) file.set_attribute("/", name, settings.*member);
  file.set_attribute("/", "setting", settings.setting);
  file.set_attribute("/", "skew_sigma", settings.skew_sigma);
  file.set_attribute("/", "skew_draws", settings.skew_draws);
  file.set_attribute("/", "workload_tokens", settings.workload_tokens);
  file.set_attribute("/", "workload_gpu", settings.workload_gpu);
  file.set_attribute("/", "what_if", settings.what_if);
}

RowSettings read_settings(const Hdf5File& file) {
  RowSettings settings;
  if (!file.has_attribute("/", "slowdown")) return settings;  // a file before schema 1.7
  for (const auto& [name, member] : setting_texts) settings.*member = file.text_attribute("/", name);
  if (file.has_attribute("/", "setting")) settings.setting = file.text_attribute("/", "setting");
  settings.skew_sigma = file.real_attribute("/", "skew_sigma");
  settings.skew_draws = file.integer_attribute("/", "skew_draws");
  settings.workload_tokens = file.real_attribute("/", "workload_tokens");
  if (file.has_attribute("/", "workload_gpu"))
    settings.workload_gpu = file.text_attribute("/", "workload_gpu");
  if (file.has_attribute("/", "what_if")) settings.what_if = file.text_attribute("/", "what_if");
  return settings;
}

// Files from 1.10 on have checksums.
bool should_have_sums(const std::string& version) {
  int major = 0, minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  return major > 1 || minor >= 10;
}

}  // namespace

void write_header(Hdf5File& file, const FileHeader& header, std::int64_t rows,
                  const std::array<std::int64_t, 5>& by_status) {
  file.set_attribute("/", "Conventions", "EchoSweep-1.0");
  file.set_attribute("/", "schema", schema_name);
  file.set_attribute("/", "schema_version", schema_version());
  for (const TextMember& text : texts) file.set_attribute("/", text.name, header.*text.member);
  file.set_attribute("/", "objectives", objectives_text(header.objectives));
  file.set_attribute("/", "limits", fmt::format("{}", fmt::join(header.limit_names, " ")));
  file.set_attribute("/", "target_tokens", header.terms.target_tokens);
  file.set_attribute("/", "currency", header.terms.economics.currency);
  file.set_attribute("/", "min_fit_chance", header.min_fit_chance);
  write_settings(file, header.settings);
  file.set_attribute("/", "coordinates", input_names());  // xarray makes these coordinates
  file.set_attribute("/", "n_total", header.ids > 0 ? header.ids : rows);
  file.set_attribute("/", "n_done", rows - by_status[at(training::Status::pending)]);
  for (std::size_t i = 0; i < count_names.size(); ++i) file.set_attribute("/", count_names[i], by_status[i]);
}

static bool is_ours(const Hdf5File& file) {
  return file.has_attribute("/", "schema") && file.text_attribute("/", "schema") == schema_name;
}

bool is_of_another_program(const std::filesystem::path& path) {
  try {
    return !is_ours(Hdf5File(path, Hdf5File::Mode::read));
  } catch (const UserError&) {
    return false;  // not readable as HDF5
  }
}

FileState read_state(const Hdf5File& file, const std::filesystem::path& name) {
  if (!is_ours(file))
    throw UserError("\"" + name.string() + "\" is an HDF5 file, but not a result file of this program",
                    "choose another file with -o", 5);
  const auto text = [&](const char* attribute) {
    return file.has_attribute("/", attribute) ? file.text_attribute("/", attribute) : std::string();
  };
  FileState state;
  for (const TextMember& member : texts) state.*member.member = text(member.name);
  state.objectives = objectives_of(text("objectives"));
  state.limit_names = words(text("limits"));
  if (file.has_attribute("/", "target_tokens"))
    state.terms.target_tokens = file.real_attribute("/", "target_tokens");
  state.terms.economics.currency = text("currency");
  if (file.has_attribute("/", "min_fit_chance"))
    state.min_fit_chance = file.real_attribute("/", "min_fit_chance");
  state.settings = read_settings(file);
  state.schema_version = text("schema_version");
  if (should_have_sums(state.schema_version) && !file.has_sums())
    throw UserError(
        "\"" + name.string() + "\" has lost its checksums: another program changed or copied its content",
        "restore it from a copy, or remove it and run its sweep again", 5);
  state.rows_digest = text("rows_digest");
  state.ids = file.integer_attribute("/", "n_total");
  state.rows = static_cast<std::int64_t>(file.shape("/config").front());
  for (std::size_t i = 0; i < count_names.size(); ++i)
    state.by_status[i] = file.integer_attribute("/", count_names[i]);
  state.complete = text("state") == "complete";
  state.is_partial = !state.complete;
  if (file.has("/provenance/resolved_toml")) state.resolved_toml = file.text("/provenance/resolved_toml");
  state.axes = swept_axes(state.resolved_toml);
  if (file.has("/measured")) {
    const storage::Shape runs = file.shape("/measured/run");
    state.measured.runs = runs.size() == 1 ? static_cast<std::int64_t>(runs.front()) : 0;
    state.measured.spread = file.real_attribute("/measured", "spread");
  }
  return state;
}

const std::filesystem::path& existing(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file))
    throw UserError("there is no file \"" + file.string() + "\"", "give the .h5 file written by a sweep", 2);
  return file;
}

bool is_result(const std::filesystem::path& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> first{};
  std::ifstream in(file, std::ios::binary);
  in.read(first.data(), first.size());
  return std::string_view(first.data(), first.size()) == signature;
}

std::optional<FileState> read_state(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return read_state(Hdf5File(path, Hdf5File::Mode::read), path);
}

}  // namespace echo::results
