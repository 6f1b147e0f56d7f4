#include "config/measured/profile_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "config/measured/measured_kernels.hpp"
#include "config/toml/did_you_mean.hpp"
#include "ops/canonical_kernel.hpp"
#include "ops/kernel_fields.hpp"

namespace echo::config {

namespace {

using kernels::Measurement;

constexpr std::array<std::string_view, 9> plain_columns{
    "gpu", "scope", "duration_us", "spread", "clock_mhz", "sustained", "library_version", "date", "note"};

constexpr std::array<std::string_view, 2> flag_names{"no", "yes"}, scope_names{"kernel", "serving"};

std::vector<std::string> known_columns() {
  std::vector<std::string> names(plain_columns.begin(), plain_columns.end());
  for (const ops::KernelField& field : ops::kernel_fields()) names.emplace_back(field.name);
  return names;
}

// The value of a word; flags have several spellings.
std::optional<std::int32_t> value_of(std::string_view word, std::span<const std::string_view> names) {
  const bool is_flag = names.size() == 2 && names[0] == "no";
  if (is_flag && (word == "1" || word == "true" || word == "True")) return 1;
  if (is_flag && (word == "0" || word == "false" || word == "False")) return 0;
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::int32_t>(found - names.begin());
}

// The index of `name` in `names`; a new name is added.
template <class Name>
std::int32_t place_among(std::vector<Name>& names, const Name& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) names.push_back(name);
  return static_cast<std::int32_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

class Importer {
 public:
  Importer(const CsvTable& table, const CatalogInputs& presets, const ImportChoices& choices,
           Problems& problems)
      : table_(table), presets_(presets), choices_(choices), problems_(problems) {
    out_.rows = static_cast<std::int64_t>(table.rows());
  }

  ImportedTable read() {
    if (is_plain_kernel_table(table_)) {
      check_columns();
      for (std::size_t row = 0; row < table_.rows(); ++row) read_plain(row);
    } else if (const auto kind = kernel_table_of(table_)) {
      read_published(*kind);
    } else {
      problems_.error(
          table_.header_place(), "this is not a known table of measured kernels",
          "name its columns gpu,kind,precision,m,n,k,duration_us, or use a published table unchanged");
    }
    return std::move(out_);
  }

 private:
  void complain(std::size_t row, const std::string& what, const std::string& remedy) {
    problems_.error(table_.place(row), what, remedy);
  }

  void add(std::size_t row, const std::string& gpu, Measurement measured, const kernels::Origin& origin) {
    measured.key = ops::canonical(measured.key);
    if (choices_.library) measured.key.library = *choices_.library;
    if (const char* problem = kernels::why_unsound(measured))
      return complain(row, problem, "correct the row");
    measured.gpu = place_among(out_.profile.gpus, gpu);
    measured.origin = place_among(out_.profile.origins, origin);
    out_.profile.rows.push_back(measured);
  }

  [[nodiscard]] kernels::Origin origin() const {
    const std::string path = table_.header_place().file;
    return {choices_.library_version, path.substr(path.rfind('/') + 1), choices_.date};
  }

  // --- published tables
  void read_published(KernelTable kind) {
    std::vector<MeasuredKernel> rows;
    try {
      rows = read_measured_kernels(table_, kind, presets_, choices_.gpu);
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems())
        problems_.error(problem.place, problem.what, problem.remedy);
      return;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows[row].skipped.empty() && is_of_known_library(row, rows[row]))
        add(row, presets_.catalog.gpus[at(rows[row].gpu)].name,
            {.key = rows[row].key,
             .seconds = rows[row].seconds,
             .clock_mhz = choices_.clock_mhz,
             .scope = rows[row].scope,
             .sustained = choices_.sustained},
            origin());
      else if (!rows[row].skipped.empty())
        ++out_.left_out[rows[row].skipped];
    }
  }

  bool is_of_known_library(std::size_t row, const MeasuredKernel& kernel) {
    const auto& names = ops::kernel_library_names;
    if (choices_.library || std::find(names.begin(), names.end(), kernel.library) != names.end()) return true;
    complain(row, "unknown library \"" + kernel.library + "\"",
             "name the library that they represent, as in --as-library training");
    return false;
  }

  // --- the plain form
  void check_columns() {
    const auto known = known_columns();
    for (const std::string& column : table_.columns()) {
      if (std::find(known.begin(), known.end(), column) == known.end())
        problems_.error(table_.header_place(), "unknown column \"" + column + "\"",
                        suggest(column, known, "note is ignored; known"));
    }
    if (!table_.has("gpu") && choices_.gpu.empty())
      problems_.error(table_.header_place(), "the table has no column gpu", "add it, or pass --gpu NAME");
  }

  void read_plain(std::size_t row) {
    try {
      const std::string gpu = gpu_of(row);
      Measurement measured{.clock_mhz = choices_.clock_mhz, .sustained = choices_.sustained};
      const bool has_key = read_key(row, measured.key);
      if (gpu.empty() || !has_key) return;
      const auto duration = table_.number(row, "duration_us");
      if (!duration) return complain(row, "no duration_us", "give the time of one run, in microseconds");
      measured.seconds = *duration * 1e-6;
      measured.spread = table_.number(row, "spread").value_or(0.0);
      measured.clock_mhz = table_.number(row, "clock_mhz").value_or(measured.clock_mhz);
      if (const auto scope = word_of(row, "scope", scope_names))
        measured.scope = static_cast<kernels::RowScope>(*scope);
      if (const auto flag = word_of(row, "sustained", flag_names)) measured.sustained = *flag == 1;
      kernels::Origin from = origin();
      if (!text(row, "library_version").empty()) from.library_version = text(row, "library_version");
      if (!text(row, "date").empty()) from.date = text(row, "date");
      add(row, gpu, measured, from);
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems())
        problems_.error(problem.place, problem.what, problem.remedy);
    }
  }

  [[nodiscard]] std::string_view text(std::size_t row, std::string_view column) const {
    return table_.text(row, column);
  }

  // The name of the preset; empty, with a problem, if there is none.
  std::string gpu_of(std::size_t row) {
    const std::string name = choices_.gpu.empty() ? std::string(text(row, "gpu")) : choices_.gpu;
    const std::int32_t gpu = find_named(presets_.catalog.gpus, presets_.aliases.resolve("gpu", name));
    if (gpu >= 0) return presets_.catalog.gpus[at(gpu)].name;
    std::vector<std::string> known;
    for (const machine::GpuSpec& spec : presets_.catalog.gpus) known.push_back(spec.name);
    complain(row, "no preset for gpu \"" + name + "\"", suggest(name, known, "echo-sweep presets list gpus"));
    return "";
  }

  bool read_key(std::size_t row, ops::KernelKey& key) {
    bool is_good = true;
    for (const ops::KernelField& field : ops::kernel_fields()) {
      const std::string cell(text(row, field.name));
      if (cell.empty()) {
        if (field.name != "kind" && field.name != "m") continue;
        complain(row, "no " + std::string(field.name), "give each row its kind and m");
        is_good = false;
      } else if (field.names.empty()) {
        field.set(key, table_.integer(row, field.name).value_or(0));
      } else {
        const std::string word =
            field.name == "precision" ? presets_.aliases.resolve("precision", cell) : cell;
        const auto value = value_of(word, field.names);
        if (value) field.set(key, *value);
        if (!value)
          complain(row, "unknown " + std::string(field.name) + " \"" + cell + "\"",
                   suggest(cell, {field.names.begin(), field.names.end()}, "known"));
        is_good = is_good && value;
      }
    }
    return is_good;
  }

  std::optional<std::int32_t> word_of(std::size_t row, std::string_view column,
                                      std::span<const std::string_view> names) {
    const std::string cell(text(row, column));
    if (cell.empty()) return std::nullopt;
    const auto value = value_of(cell, names);
    if (!value)
      complain(row, "unknown " + std::string(column) + " \"" + cell + "\"",
               suggest(cell, {names.begin(), names.end()}, "known"));
    return value;
  }

  const CsvTable& table_;
  const CatalogInputs& presets_;
  const ImportChoices& choices_;
  Problems& problems_;
  ImportedTable out_;
};

}  // namespace

bool is_plain_kernel_table(const CsvTable& table) {
  return table.has("kind") && table.has("m") && table.has("duration_us");
}

ImportedTable read_kernel_table(const CsvTable& table, const CatalogInputs& presets,
                                const ImportChoices& choices, Problems& problems) {
  return Importer(table, presets, choices, problems).read();
}

}  // namespace echo::config
