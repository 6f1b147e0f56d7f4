#include "results/nearest_group.hpp"

namespace echo::results {

namespace {

struct LedgerGroup {
  storage::Hdf5File& file;
  std::uint64_t entries;

  void add(const char* name, const std::vector<std::string>& texts) const {
    file.make_texts(path(name), texts);
    finish(name);
  }
  template <class Value>
  void add(const char* name, storage::ElementType type, const std::vector<Value>& values, const char* units,
           const char* long_name) const {
    file.make_dataset({path(name), type, {entries}, {}});
    file.write_rows(path(name), 0, entries, values.data());
    file.set_attribute(path(name), "units", units);
    file.set_attribute(path(name), "long_name", long_name);
    finish(name);
  }

 private:
  static std::string path(const std::string& name) { return "/nearest/" + name; }
  void finish(const std::string& name) const {
    if (name == "cause")
      file.make_scale(path(name));
    else
      file.attach_scale(path(name), 0, "/nearest/cause");
  }
};

}  // namespace

void write_nearest(storage::Hdf5File& file, std::span<const NearestEntry> entries) {
  if (entries.empty()) return;
  file.make_group("/nearest");
  std::vector<std::string> causes, changes;
  std::vector<std::int32_t> rows;
  std::vector<double> step_time, mem_peak, fit_chance;
  for (const NearestEntry& entry : entries) {
    causes.push_back(entry.cause);
    changes.push_back(entry.change);
    rows.push_back(static_cast<std::int32_t>(entry.row));
    step_time.push_back(entry.step_time);
    mem_peak.push_back(entry.mem_peak);
    fit_chance.push_back(entry.fit_chance);
  }
  const LedgerGroup group{file, entries.size()};
  group.add("cause", causes);
  group.add("config", storage::ElementType::i4, rows, "1", "row of the file");
  group.add("change", changes);
  group.add("step_time", storage::ElementType::f8, step_time, "s", "step time of the changed row");
  group.add("mem_peak", storage::ElementType::f8, mem_peak, "byte", "peak memory of the changed row");
  group.add("fit_chance", storage::ElementType::f8, fit_chance, "1", "chance of the changed row to fit");
}

std::vector<NearestEntry> read_nearest(const storage::Hdf5File& file) {
  if (!file.has("/nearest/cause")) return {};
  const auto causes = file.texts("/nearest/cause"), changes = file.texts("/nearest/change");
  std::vector<NearestEntry> entries(causes.size());
  const auto column = [&]<class Value>(const char* path, Value) {
    std::vector<Value> values(entries.size());
    file.read_rows(path, 0, values.size(), values.data());
    return values;
  };
  const auto rows = column("/nearest/config", std::int32_t());
  const auto step_time = column("/nearest/step_time", 0.0), mem_peak = column("/nearest/mem_peak", 0.0),
             fit_chance = column("/nearest/fit_chance", 0.0);
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i] = {causes[i], rows[i], changes.at(i), step_time[i], mem_peak[i], fit_chance[i]};
  return entries;
}

}  // namespace echo::results
