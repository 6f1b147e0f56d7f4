#include "storage/profile_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/contract.hpp"

namespace echo::storage {
namespace {

using profile::Measurement;
using profile::Origin;
using profile::Profile;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

double known_or_missing(double value) { return value > 0.0 ? value : missing; }
double known_or_zero(double value) { return std::isnan(value) ? 0.0 : value; }

template <class Value>
void put(std::vector<std::byte>& bytes, std::size_t row, double value) {
  const auto stored = static_cast<Value>(value);
  std::memcpy(bytes.data() + row * sizeof(Value), &stored, sizeof(Value));
}

template <class Value>
double take(const std::vector<std::byte>& bytes, std::size_t row) {
  Value stored{};
  std::memcpy(&stored, bytes.data() + row * sizeof(Value), sizeof(Value));
  return static_cast<double>(stored);
}

// The schema has these three.
void put(ElementType type, std::vector<std::byte>& bytes, std::size_t row, double value) {
  ECHO_EXPECT(type == ElementType::i1 || type == ElementType::i4 || type == ElementType::f8);
  if (type == ElementType::i1) put<std::int8_t>(bytes, row, value);
  if (type == ElementType::i4) put<std::int32_t>(bytes, row, value);
  if (type == ElementType::f8) put<double>(bytes, row, value);
}

void add_text(Digest& digest, const std::string& text) {
  digest.add(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
}

}  // namespace

std::optional<ProfileAccess> profile_access(std::string_view column) {
  using M = Measurement;
  if (column == "gpu")
    return ProfileAccess{[](const M& m) { return static_cast<double>(m.gpu); },
                         [](M& m, double v) { m.gpu = static_cast<std::int32_t>(v); }};
  if (column == "duration")
    return ProfileAccess{[](const M& m) { return m.seconds; }, [](M& m, double v) { m.seconds = v; }};
  if (column == "spread")
    return ProfileAccess{[](const M& m) { return known_or_missing(m.spread); },
                         [](M& m, double v) { m.spread = known_or_zero(v); }};
  if (column == "clock")
    return ProfileAccess{[](const M& m) { return known_or_missing(m.clock_mhz); },
                         [](M& m, double v) { m.clock_mhz = known_or_zero(v); }};
  if (column == "scope")
    return ProfileAccess{[](const M& m) { return static_cast<double>(m.scope); },
                         [](M& m, double v) { m.scope = static_cast<profile::RowScope>(v); }};
  if (column == "sustained")
    return ProfileAccess{[](const M& m) { return m.sustained ? 1.0 : 0.0; },
                         [](M& m, double v) { m.sustained = v != 0.0; }};
  if (column == "origin")
    return ProfileAccess{[](const M& m) { return static_cast<double>(m.origin); },
                         [](M& m, double v) { m.origin = static_cast<std::int32_t>(v); }};
  return std::nullopt;
}

const ops::KernelField* kernel_field(std::string_view column) {
  const auto fields = ops::kernel_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const ops::KernelField& field) { return field.name == column; });
  return found == fields.end() ? nullptr : &*found;
}

double value_at(ElementType type, const std::vector<std::byte>& bytes, std::size_t row) {
  if (type == ElementType::i1) return take<std::int8_t>(bytes, row);
  return type == ElementType::i4 ? take<std::int32_t>(bytes, row) : take<double>(bytes, row);
}

std::vector<std::byte> column_bytes(const ProfileColumn& column, const Profile& profile) {
  std::vector<std::byte> bytes(profile.rows.size() * size_of(column.type));
  const auto access = profile_access(column.name);
  const ops::KernelField* field = kernel_field(column.name);
  ECHO_EXPECT(access || field != nullptr || std::string_view(column.name) == "row");
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    const Measurement& one = profile.rows[row];
    put(column.type, bytes, row,
        access             ? access->get(one)
        : field != nullptr ? static_cast<double>(field->get(one.key))
                           : static_cast<double>(row));
  }
  return bytes;
}

const std::array<OriginText, 3>& origin_texts() {
  static constexpr std::array<OriginText, 3> texts{{{"/origins/library_version", &Origin::library_version},
                                                    {"/origins/table", &Origin::table},
                                                    {"/origins/date", &Origin::date}}};
  return texts;
}

std::string meanings_text(const ProfileColumn& column, const Profile& profile) {
  std::string text;
  const auto add = [&](std::string_view word) { text += (text.empty() ? "" : " ") + std::string(word); };
  if (std::string_view(column.name) == "gpu")
    for (const std::string& gpu : profile.gpus) add(gpu);
  for (const std::string_view word : column.meanings) add(word);
  return text;
}

void add_column(Digest& digest, const std::vector<std::byte>& bytes, const std::string& meanings) {
  digest.add(bytes);
  add_text(digest, meanings);
}

void add_origins(Digest& digest, const Profile& profile) {
  for (const Origin& origin : profile.origins)
    for (const OriginText& text : origin_texts()) add_text(digest, origin.*text.member);
}

}  // namespace echo::storage
