#include "cli/kernels/profile_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/at.hpp"
#include "base/quantile.hpp"
#include "cli/kernels/profile_rows.hpp"
#include "ops/describe.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {

namespace {

using kernels::Measurement;
using kernels::Profile;

const std::string& gpu_of(const Profile& profile, const Measurement& row) {
  return profile.gpus[at(row.gpu)];
}

std::array<std::int32_t, 4> shape_of(const ops::KernelKey& key) { return {key.m, key.n, key.k, key.batch}; }

std::string text_of(const ProfileGroup::Range& range) {
  return range.least == range.most ? std::to_string(range.least)
                                   : fmt::format("{}-{}", range.least, range.most);
}

// GPU, key and conditions of the timing: scope, sustained.
using KernelCase = std::tuple<std::string, ops::KernelKey, kernels::RowScope, bool>;

std::map<KernelCase, double> medians_of(const Profile& profile) {
  std::map<KernelCase, std::vector<double>> times;
  for (const Measurement& row : profile.rows)
    times[{gpu_of(profile, row), row.key, row.scope, row.sustained}].push_back(row.seconds);
  std::map<KernelCase, double> medians;
  for (const auto& [kernel, all] : times) medians[kernel] = median_of(all);
  return medians;
}

// "gpu library kind precision" -> ratios, sorted.
std::map<std::array<std::string, 4>, std::vector<double>> ratios_of(const ProfileDiff& diff) {
  std::map<std::array<std::string, 4>, std::vector<double>> groups;
  for (const ProfilePair& pair : diff.both)
    groups[{pair.gpu, std::string(ops::kernel_library_names[at(pair.key.library)]),
            ops::name_of(pair.key.kind), std::string(machine::precision_names[at(pair.key.precision)])}]
        .push_back(pair.ratio());
  for (auto& [group, ratios] : groups) std::sort(ratios.begin(), ratios.end());
  return groups;
}

}  // namespace

std::vector<ProfileGroup> groups_of(const Profile& profile) {
  std::map<std::array<std::string, 4>, ProfileGroup> groups;
  const ops::KernelKey* before = nullptr;
  for (const Measurement& row : profile.rows) {
    const std::string library(ops::kernel_library_names[at(row.key.library)]);
    const std::string precision(machine::precision_names[at(row.key.precision)]);
    ProfileGroup& group = groups[{gpu_of(profile, row), library, ops::name_of(row.key.kind), precision}];
    if (group.rows == 0)
      group = {gpu_of(profile, row), library, ops::name_of(row.key.kind), precision, 0, 0, {}};
    const auto shape = shape_of(row.key);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      ProfileGroup::Range& range = group.shape[i];
      range.least = group.rows == 0 ? shape[i] : std::min(range.least, shape[i]);
      range.most = std::max(range.most, shape[i]);
    }
    ++group.rows;
    if (before == nullptr || *before != row.key || (&row)[-1].gpu != row.gpu) ++group.kernels;
    before = &row.key;
  }
  std::vector<ProfileGroup> out;
  for (auto& [name, group] : groups) out.push_back(std::move(group));
  return out;
}

std::string groups_text(const Profile& profile) {
  text::TextTable table(
      {"<GPU", "<library", "<kind", "<precision", "rows", "kernels", "m", "n", "k", "batch"});
  for (const ProfileGroup& group : groups_of(profile)) {
    std::vector<std::string> cells{group.gpu,
                                   group.library,
                                   group.kind,
                                   group.precision,
                                   text::show_count(group.rows),
                                   text::show_count(group.kernels)};
    for (const ProfileGroup::Range& range : group.shape) cells.push_back(text_of(range));
    table.add(std::move(cells));
  }
  std::string text = table.text();
  for (const kernels::Origin& origin : profile.origins)
    text += fmt::format("from {}{}{}\n", origin.table.empty() ? "an unnamed table" : origin.table,
                        origin.library_version.empty() ? "" : ", " + origin.library_version,
                        origin.date.empty() ? "" : ", " + origin.date);
  return text;
}

std::string groups_json(const Profile& profile) {
  text::Json json;
  json.open_object().key("groups").open_array();
  constexpr std::array<const char*, 4> names{"m", "n", "k", "batch"};
  for (const ProfileGroup& group : groups_of(profile)) {
    json.open_object().member("gpu", group.gpu).member("library", group.library).member("kind", group.kind);
    json.member("precision", group.precision).member("rows", group.rows).member("kernels", group.kernels);
    for (std::size_t i = 0; i < names.size(); ++i)
      json.key(names[i]).open_array().value(group.shape[i].least).value(group.shape[i].most).close();
    json.close();
  }
  json.close().key("origins").open_array();
  for (const kernels::Origin& origin : profile.origins)
    json.open_object()
        .member("table", origin.table)
        .member("library_version", origin.library_version)
        .member("date", origin.date)
        .close();
  return json.close().close().text();
}

std::int64_t kernels_with_repeats_apart(const Profile& profile, double share) {
  std::int64_t kernels = 0;
  for (std::size_t first = 0, end = 0; first < profile.rows.size(); first = end) {
    const Measurement& one = profile.rows[first];
    const auto same = [&](const Measurement& row) {
      return row.gpu == one.gpu && row.key == one.key && row.scope == one.scope &&
             row.sustained == one.sustained;
    };
    for (end = first + 1; end < profile.rows.size() && same(profile.rows[end]);) ++end;
    if (profile.rows[end - 1].seconds > (1.0 + share) * one.seconds) ++kernels;
  }
  return kernels;
}

ProfileDiff diff_of(const Profile& first, const Profile& second) {
  const auto ours = medians_of(first), theirs = medians_of(second);
  ProfileDiff diff;
  for (const auto& [kernel, time] : ours) {
    const auto same = theirs.find(kernel);
    if (same == theirs.end()) {
      ++diff.only_first;
      continue;
    }
    const auto& [gpu, key, scope, sustained] = kernel;
    diff.both.push_back({gpu, key, scope, sustained, time, same->second});
  }
  diff.only_second = static_cast<std::int64_t>(theirs.size() - diff.both.size());
  return diff;
}

std::vector<ProfilePair> apart(const ProfileDiff& diff, double share) {
  std::vector<ProfilePair> pairs;
  const auto distance = [](const ProfilePair& pair) { return std::max(pair.ratio(), 1.0 / pair.ratio()); };
  for (const ProfilePair& pair : diff.both)
    if (distance(pair) > 1.0 + share) pairs.push_back(pair);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const ProfilePair& a, const ProfilePair& b) { return distance(a) > distance(b); });
  return pairs;
}

std::string pairs_text(const std::vector<ProfilePair>& pairs, std::size_t most) {
  if (pairs.empty() || most == 0) return "";
  text::TextTable table({"<  GPU", "<kernel", "<", "first", "second", "ratio"});
  for (std::size_t i = 0; i < std::min(most, pairs.size()); ++i) {
    const ProfilePair& pair = pairs[i];
    table.add({"  " + pair.gpu, ops::describe(pair.key),
               flags_text(pair.key) + conditions_text(pair.scope, pair.sustained),
               text::show_time(pair.first), text::show_time(pair.second),
               fmt::format("{:.3f}", pair.ratio())});
  }
  return table.text();
}

std::string diff_text(const ProfileDiff& diff, std::size_t most) {
  text::TextTable table({"<GPU", "<library", "<kind", "<precision", "kernels", "median B/A", "10 %", "90 %"});
  for (const auto& [group, ratios] : ratios_of(diff))
    table.add({group[0], group[1], group[2], group[3], text::show_count(std::ssize(ratios)),
               fmt::format("{:.3f}", quantile(ratios, 0.5)), fmt::format("{:.3f}", quantile(ratios, 0.1)),
               fmt::format("{:.3f}", quantile(ratios, 0.9))});
  std::string text = diff.both.empty() ? "" : table.text();
  text += fmt::format("{} kernels in both, {} only in the first, {} only in the second\n",
                      text::show_count(std::ssize(diff.both)), text::show_count(diff.only_first),
                      text::show_count(diff.only_second));
  const auto far = apart(diff, 0.0);
  if (!far.empty() && most > 0) text += "largest differences\n" + pairs_text(far, most);
  return text;
}

std::string diff_json(const ProfileDiff& diff) {
  text::Json json;
  json.open_object().member("in_both", diff.both.size());
  json.member("only_first", diff.only_first).member("only_second", diff.only_second);
  json.key("groups").open_array();
  for (const auto& [group, ratios] : ratios_of(diff)) {
    json.open_object().member("gpu", group[0]).member("library", group[1]).member("kind", group[2]);
    json.member("precision", group[3]).member("kernels", ratios.size());
    json.member("median_ratio", quantile(ratios, 0.5)).member("p10", quantile(ratios, 0.1));
    json.member("p90", quantile(ratios, 0.9)).close();
  }
  return json.close().close().text();
}

}  // namespace echo::cli
