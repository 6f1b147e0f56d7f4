#include "results/search_group.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"

namespace echo::results {

using storage::ElementType;

namespace {

const std::string root = "/search";

// Calls visit(path, values, type, units, long_name) for each column of numbers.
template <class Record, class Visit>
void each_column(Record& record, Visit visit) {
  visit("sets/group", record.group, ElementType::i4, "1", "sub-space of the sweep");
  visit("sets/tier", record.tier, ElementType::i4, "1",
        "how many of the depths of the search are fixed in a set, from 0; the last: single combinations");
  visit("sets/begin", record.begin, ElementType::i8, "1", "first combination, in the order of the search");
  visit("sets/end", record.end, ElementType::i8, "1", "one past the last combination");
  visit("sets/members", record.members, ElementType::i8, "1",
        "combinations that no rule of the sweep removes");
  visit("sets/first", record.first, ElementType::i8, "1",
        "least number of a member in the order of the file");
  visit("sets/fate", record.fate, ElementType::i1, "1", "what became of the set");
  visit("sets/slice", record.slice, ElementType::i4, "1", "row of slices; -1: of several, or none");
  visit("sets/least", record.least, ElementType::f8, "1",
        "bound of the first objective, as a cost: negative where more is better; of a simulated point, its "
        "cost");
  visit("sets/least_second", record.least_second, ElementType::f8, "1", "the same of the second objective");
  visit("points/number", record.points, ElementType::i8, "1",
        "combinations of the best points, in the order of the file");
  visit("moments/looked_at", record.looked_at, ElementType::i8, "1", "sets looked at by then");
  visit("moments/simulated", record.simulated, ElementType::i8, "1", "points simulated by then");
  visit("moments/best", record.best, ElementType::f8, "1", "cost of the best point then");
  visit("moments/possible", record.possible, ElementType::f8, "1", "cost that no open set could beat then");
}

constexpr std::array<std::string_view, 3> tables{"sets", "points", "moments"};

}  // namespace

void write_search(storage::Hdf5File& file, const SearchRecord& record) {
  file.make_group(root);
  for (const std::string_view table : tables) file.make_group(root + "/" + std::string(table));
  each_column(record, [&](const char* name, const auto& values, ElementType type, const char* units,
                          const char* long_name) {
    const std::string path = root + "/" + name;
    const std::uint64_t chunk = std::min<std::uint64_t>(values.size(), 1 << 16);
    file.make_dataset(
        {path, type, {values.size()}, values.empty() ? storage::Shape{} : storage::Shape{chunk}});
    if (!values.empty()) file.write_rows(path, 0, values.size(), values.data());
    file.set_attribute(path, "units", units);
    file.set_attribute(path, "long_name", long_name);
  });
  const std::array<std::int8_t, 6> codes{0, 1, 2, 3, 4, 5};
  file.set_attribute(root + "/sets/fate", "flag_values", codes);
  file.set_attribute(root + "/sets/fate", "flag_meanings", "open unsupported memory repeat bound simulated");
  file.make_texts(root + "/slices", record.slices);
  file.set_attribute(root, "combinations", record.combinations);
  file.set_attribute(root, "kept", record.kept);
  file.set_attribute(root, "failed", record.failed);
  file.set_attribute(root, "top", record.top);
  file.set_attribute(root, "gap", record.gap);
  file.set_attribute(root, "within", record.within);
  file.set_attribute(root, "objectives", record.objectives);
  file.set_attribute(root, "per", record.per);
}

std::optional<SearchRecord> read_search(const storage::Hdf5File& file) {
  if (!file.has(root)) return std::nullopt;
  SearchRecord record;
  each_column(record, [&](const char* name, auto& values, ElementType type, const char*, const char*) {
    const std::string path = root + "/" + name;
    const storage::Shape shape = file.shape(path);
    if (file.type(path) != type || shape.size() != 1)
      throw UserError(path + " is not the column that this program writes", "run the sweep again", 5);
    values.resize(shape[0]);
    if (!values.empty()) file.read_rows(path, 0, values.size(), values.data());
  });
  const std::size_t sets = record.group.size();
  for (const std::size_t length : {record.tier.size(), record.begin.size(), record.end.size(),
                                   record.members.size(), record.first.size(), record.fate.size(),
                                   record.slice.size(), record.least.size(), record.least_second.size()})
    if (length != sets) throw UserError("columns of /search/sets differ in length", "run the sweep again", 5);
  const std::size_t moments = record.looked_at.size();
  for (const std::size_t length : {record.simulated.size(), record.best.size(), record.possible.size()})
    if (length != moments)
      throw UserError("columns of /search/moments differ in length", "run the sweep again", 5);
  record.slices = file.texts(root + "/slices");
  record.combinations = file.integer_attribute(root, "combinations");
  record.kept = file.integer_attribute(root, "kept");
  record.failed = file.integer_attribute(root, "failed");
  record.top = file.integer_attribute(root, "top");
  record.gap = file.real_attribute(root, "gap");
  record.within = file.real_attribute(root, "within");
  record.objectives = file.text_attribute(root, "objectives");
  record.per = file.text_attribute(root, "per");
  return record;
}

}  // namespace echo::results
