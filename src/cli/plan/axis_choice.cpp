#include "cli/plan/axis_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <optional>

#include "base/at.hpp"
#include "base/error.hpp"
#include "config/sweep_file/axis_values.hpp"
#include "sweep/choice/value_text.hpp"

namespace echo::cli {

using sweep::Axis;
using sweep::AxisInfo;
using sweep::AxisKind;

namespace {

struct Wish {
  Axis axis{};
  std::string value;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<Wish> parse(const std::string& point) {
  std::vector<Wish> wishes;
  for (std::size_t begin = 0; begin <= point.size();) {
    const std::size_t end = std::min(point.find(',', begin), point.size());
    const std::string part = point.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw UserError("\"" + part + "\" is not of the form AXIS=VALUE", "write --why tp=8,pp=4");
    const Axis axis = config::axis_named(trimmed(part.substr(0, equals)));
    wishes.push_back({axis, trimmed(part.substr(equals + 1))});
    begin = end + 1;
  }
  return wishes;
}

// The digits of one dimension that have all requested values; the axes found are recorded with all their
// values.
std::vector<std::int64_t> matching(const std::vector<sweep::ResolvedColumn>& columns,
                                   const std::vector<Wish>& wishes, const sweep::Program& program,
                                   const simulate::Catalog& catalog,
                                   std::map<Axis, std::vector<std::string>>& values) {
  std::vector<std::int64_t> digits;
  for (std::size_t digit = 0; digit < columns.front().values.size(); ++digit) {
    bool fits = true;
    for (const sweep::ResolvedColumn& column : columns) {
      const std::string text = sweep::value_text(column.axis, column.values[digit], program, catalog);
      auto& known = values[column.axis];
      if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
      for (const Wish& wish : wishes) fits = fits && (wish.axis != column.axis || wish.value == text);
    }
    if (fits) digits.push_back(static_cast<std::int64_t>(digit));
  }
  return digits;
}

[[noreturn]] void refuse(const std::vector<Wish>& wishes,
                         const std::map<Axis, std::vector<std::string>>& values) {
  for (const Wish& wish : wishes) {
    const std::string name(info_of(wish.axis).name);
    const auto known = values.find(wish.axis);
    if (known == values.end())
      throw UserError(name + " has no values in [space]", "name the axes it is derived from, or remove it");
    if (std::find(known->second.begin(), known->second.end(), wish.value) != known->second.end()) continue;
    throw UserError(fmt::format("{} = {} is not in this sweep", name, wish.value),
                    fmt::format("its values are {}", fmt::join(known->second, ", ")));
  }
  throw UserError("no combination has all these values",
                  "they belong to different groups or are paired with other values; drop one of them");
}

sweep::Dimension only(const sweep::Dimension& dimension, const std::vector<std::int64_t>& digits) {
  sweep::Dimension out;
  for (const sweep::AxisColumn& column : dimension.columns) {
    sweep::AxisColumn kept{column.axis, {}};
    for (const std::int64_t digit : digits) kept.values.push_back(column.values[at(digit)]);
    out.columns.push_back(std::move(kept));
  }
  return out;
}

}  // namespace

Choice choose(const sweep::SweepSpec& spec, const sweep::RawSpace& space, const std::string& point) {
  const std::vector<Wish> wishes = parse(point);
  std::map<Axis, std::vector<std::string>> values;
  Choice choice{spec, {}};
  choice.spec.groups.clear();
  choice.spec.dimensions.clear();
  choice.spec.search = {};
  for (std::size_t g = 0; g < space.groups(); ++g) {
    const auto& dimensions = spec.groups.empty() ? spec.dimensions : spec.groups[g].dimensions;
    ChosenGroup chosen{g, {}};
    sweep::SubSpace kept;
    std::bitset<sweep::axis_count> listed;
    bool any = true;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      const auto& columns = space.program(g).dimensions[d];
      for (const sweep::ResolvedColumn& column : columns) listed.set(at(column.axis));
      chosen.digits.push_back(matching(columns, wishes, space.program(g), space.catalog(), values));
      any = any && !chosen.digits.back().empty();
      kept.dimensions.push_back(only(dimensions[d], chosen.digits.back()));
    }
    for (const Wish& wish : wishes) any = any && listed.test(at(wish.axis));
    if (!any) continue;
    choice.spec.groups.push_back(std::move(kept));
    choice.groups.push_back(std::move(chosen));
  }
  if (choice.groups.empty()) refuse(wishes, values);
  return choice;
}

}  // namespace echo::cli
