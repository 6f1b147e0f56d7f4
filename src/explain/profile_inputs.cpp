#include "explain/profile_inputs.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/named_table.hpp"
#include "explain/slowdown_input.hpp"
#include "kernels/database/database.hpp"
#include "storage/profile_file.hpp"

namespace echo::explain {

namespace {

constexpr const char* profile_mark = "profile:";

bool times_a_gpu_of(const simulate::Catalog& catalog, const kernels::Profile& profile) {
  return std::any_of(profile.gpus.begin(), profile.gpus.end(),
                     [&](const std::string& gpu) { return find_named(catalog.gpus, gpu) >= 0; });
}

void refuse_changed_gpus(const std::string& profile, const simulate::Catalog& catalog) {
  const bool is_changed = std::ranges::any_of(
      catalog.gpus, [](const machine::GpuSpec& gpu) { return gpu.what_if == machine::WhatIf::other_speed; });
  if (is_changed)
    throw UserError("measured kernels (" + profile + ") are not those of a GPU that a what-if changes",
                    "leave the profile or the what-if out");
}

}  // namespace

std::string read_profiles(config::SweepInputs& read, const std::vector<std::string>& more) {
  read.spec.profiles.insert(read.spec.profiles.end(), more.begin(), more.end());
  kernels::Profile all;
  for (const std::string& path : read.spec.profiles) {
    const storage::ProfileFile file = storage::read_profile(path);
    read.files.push_back({"profile", path, file.digest});
    if (!times_a_gpu_of(read.catalog, file.profile))
      read.warnings.push_back(
          {{path, 0, 0, 1},
           "this profile contains no GPU that has a preset",
           "echo-sweep profile list shows its GPUs, echo-sweep presets list gpus the presets",
           Problem::Severity::warning});
    all = kernels::joined(all, file.profile);
  }
  if (!read.spec.profiles.empty()) refuse_changed_gpus(read.spec.profiles.front(), read.catalog);
  return kernels::make_image(all, read.catalog.gpus, read.calibration.kernels);
}

void price_by(const std::string& measured, config::SweepInputs& read) {
  read.calibration.measured = kernels::Database(std::as_bytes(std::span(measured)));
  if (!read.learned.empty())
    read.calibration.learned = slowdown::LearnedView(std::as_bytes(std::span(read.learned)));
}

std::string provenance_name(const config::InputFile& file) {
  const std::string name = std::filesystem::path(file.path).stem().string();
  if (file.kind == "profile") return profile_mark + name;
  if (file.kind == "trace") return trace_mark + name;
  return file.kind == "learned" ? learned_mark + name : name;
}

std::string profiles_again(const std::vector<results::InputFile>& inputs, const simulate::Catalog& catalog,
                           const simulate::Calibration& calibration, std::string& problem) {
  kernels::Profile all;
  for (const results::InputFile& input : inputs) {
    if (!input.name.starts_with(profile_mark)) continue;
    refuse_changed_gpus(input.path, catalog);
    try {
      const storage::ProfileFile file = storage::read_profile(input.path);
      if (file.digest != input.hash)
        problem = "the profile \"" + input.path + "\" has changed since";
      else
        all = kernels::joined(all, file.profile);
    } catch (const UserError& error) {
      problem = error.problems().front().what;
    }
  }
  return kernels::make_image(all, catalog.gpus, calibration.kernels);
}

}  // namespace echo::explain
