#include "storage/profile_file.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/contract.hpp"
#include "base/memory_limit.hpp"
#include "ops/canonical_kernel.hpp"
#include "ops/kernel_fields.hpp"
#include "storage/profile_values.hpp"
#include "storage/table_file.hpp"

namespace echo::storage {
namespace {

using kernels::Measurement;
using kernels::Origin;
using kernels::Profile;

// As the schema lists them.
constexpr std::array<std::string Origin::*, 3> origin_texts{&Origin::library_version, &Origin::table,
                                                            &Origin::date};

std::vector<double> values_of(const TableColumn& column, const std::vector<Measurement>& rows) {
  const ops::KernelField* field = ops::kernel_field(column.name);
  const auto access = profile_access(column.name);
  ECHO_EXPECT(field != nullptr || access);
  std::vector<double> values(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    values[row] = field != nullptr ? static_cast<double>(field->get(rows[row].key)) : access->get(rows[row]);
  return values;
}

TextRecords records_of(const std::vector<Origin>& origins) {
  TextRecords records;
  for (const Origin& origin : origins) {
    auto& record = records.emplace_back();
    for (const auto text : origin_texts) record.push_back(origin.*text);
  }
  return records;
}

void take_column(const TableColumn& column, const ColumnContent& content, Profile& profile) {
  profile.rows.resize(content.values.size());
  if (std::string_view(column.name) == "gpu") profile.gpus = content.names;
  const ops::KernelField* field = ops::kernel_field(column.name);
  const auto access = profile_access(column.name);
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    if (field != nullptr)
      field->set(profile.rows[row].key, static_cast<std::int32_t>(content.values[row]));
    else if (access)
      access->set(profile.rows[row], content.values[row]);
  }
}

}  // namespace

std::string write_profile(const std::filesystem::path& file, const Profile& given) {
  const Profile profile = kernels::tidied(given);
  return write_table(file, profile_schema(),
                     {.rows = profile.rows.size(),
                      .values = [&](const TableColumn& column) { return values_of(column, profile.rows); },
                      .names = [&](const TableColumn&) { return profile.gpus; },
                      .groups = {records_of(profile.origins)}});
}

static ProfileFile read_all(const std::filesystem::path& path) {
  Profile profile;
  TableContent content = read_table(
      path, profile_schema(),
      [&](const TableColumn& column, const ColumnContent& read) { take_column(column, read, profile); });
  for (const auto& record : content.groups.front()) {
    Origin& origin = profile.origins.emplace_back();
    for (std::size_t text = 0; text < origin_texts.size(); ++text) origin.*origin_texts[text] = record[text];
  }
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    if (const char* problem = kernels::why_unsound(profile.rows[row]))
      refuse_table(path, profile_schema(), "row " + std::to_string(row) + ": " + problem);
    profile.rows[row].key = ops::canonical(profile.rows[row].key);
  }
  return {kernels::tidied(std::move(profile)), std::move(content.digest)};
}

ProfileFile read_profile(const std::filesystem::path& path) {
  return within_memory(path.string(), [&] { return read_all(path); });
}

}  // namespace echo::storage
