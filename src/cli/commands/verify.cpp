// echo-sweep verify FILE...: reads whole files and says whether they are what was written.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "results/verify_file.hpp"
#include "storage/overlap_file.hpp"
#include "storage/profile_file.hpp"
#include "storage/seal.hpp"
#include "storage/table_schema.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

constexpr int exit_damaged = 5;

struct Verified {
  std::string file, kind;  // "result file", "profile", ...
  results::FileCheck check;
};

// Tables of measurements end in a seal of their own (hdf5_schemas/README.md).
Verified verified_table(const std::string& file) {
  Verified one{.file = file, .kind = "profile", .check = {.has_sums = true}};
  std::string why;
  try {
    const storage::ProfileFile profile = storage::read_profile(file);
    one.check.rows = std::ssize(profile.profile.rows);
    one.check.rows_digest = profile.digest;
    one.check.schema_version = storage::profile_schema().version;
    return one;
  } catch (const UserError& error) {
    why = error.problems().front().what;
  }
  try {
    const storage::OverlapFile overlaps = storage::read_overlaps(file);
    one.kind = "dataset of overlaps";
    one.check.rows = std::ssize(overlaps.data.rows);
    one.check.rows_digest = overlaps.digest;
    one.check.schema_version = storage::overlap_schema().version;
  } catch (const UserError&) {
    one.check.problem = why;
  }
  return one;
}

Verified verified(const std::string& file) {
  if (storage::is_sealed(file)) return verified_table(file);
  return {.file = file, .kind = "result file", .check = results::verify_file(file)};
}

std::string text_of(const Verified& one) {
  const results::FileCheck& check = one.check;
  std::string text = fmt::format("{}: {}", one.file, check.is_sound() ? "whole" : "damaged");
  if (!check.schema_version.empty())
    text += fmt::format(" · {}, schema {} · {} rows · digest {}", one.kind, check.schema_version,
                        text::show_count(check.rows), check.rows_digest);
  text += "\n";
  if (!check.has_sums && check.problem.empty())
    text += fmt::format(
        "  no checksums: schema {}, before 1.10; everything in it can be read, and its columns have its "
        "digest\n",
        check.schema_version);
  for (const storage::ByteRange& range : check.damaged)
    text += fmt::format("  bytes {} to {} do not agree with their checksum\n", range.first, range.last);
  for (const std::string& lost : check.lost) text += fmt::format("  lost: {}\n", lost);
  if (!check.problem.empty()) text += fmt::format("  {}\n", check.problem);
  return text;
}

void add_json(text::Json& json, const Verified& one) {
  const results::FileCheck& check = one.check;
  json.open_object().member("file", one.file).member("kind", one.kind).member("sound", check.is_sound());
  json.member("checksums", check.has_sums).member("schema_version", check.schema_version);
  json.member("rows", check.rows).member("rows_digest", check.rows_digest).key("damaged").open_array();
  for (const storage::ByteRange& range : check.damaged)
    json.open_object().member("first", range.first).member("last", range.last).close();
  json.close().key("lost").open_array();
  for (const std::string& lost : check.lost) json.value(lost);
  json.close().member("problem", check.problem).close();
}

int run_verify(const std::vector<std::string>& files, bool as_json) {
  text::Json json;
  json.open_object().key("files").open_array();
  bool all_sound = true;
  for (const std::string& file : files) {
    const Verified one = verified(file);
    all_sound = all_sound && one.check.is_sound();
    add_json(json, one);
    if (!as_json) say("{}", text_of(one));
  }
  json.close().member("sound", all_sound).close();
  if (as_json) say("{}", json.text());
  return all_sound ? 0 : exit_damaged;
}

std::function<int(Invocation&)> declare_verify(Options& options) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  options.arguments(*files, "FILE", "result files, profiles and datasets of overlaps");
  options.flag(*json, "--json", "print JSON on stdout");
  return [files, json](Invocation&) { return run_verify(*files, *json); };
}

}  // namespace

extern const Command verify{
    .name = "verify", .summary = "check that files are what was written, byte for byte", .declare = declare_verify};

}  // namespace echo::cli::commands
