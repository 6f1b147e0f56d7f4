// The user's table of kernels (kernel_plan.hpp).
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "ops/canonical_kernel.hpp"
#include "ops/describe.hpp"
#include "ops/kernel_fields.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"
#include "profilers/kernels/kernel_plan.hpp"

namespace echo::profilers {

namespace {

// Columns of tables of measured kernels, which do not describe kernels to run.
constexpr std::array<std::string_view, 13> other_columns{
    "gpu",  "scope", "duration_us", "spread", "clock_mhz", "sustained", "library_version",
    "date", "note",  "share",       "error",  "price",     "points"};

bool is_known(std::string_view column) {
  const auto fields = ops::kernel_fields();
  return std::find(other_columns.begin(), other_columns.end(), column) != other_columns.end() ||
         std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.name == column; });
}

std::string listed(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

// Reads one row; adds the mistakes found in it.
class RowReader {
 public:
  RowReader(const CsvTable& table, std::size_t row, std::vector<Problem>& problems)
      : table_(table), row_(row), problems_(problems) {}

  std::optional<ops::KernelKey> read() {
    const std::size_t before = problems_.size();
    ops::KernelKey key;
    for (const ops::KernelField& field : ops::kernel_fields()) read_field(field, key);
    if (problems_.size() > before) return std::nullopt;
    return ops::canonical(key);
  }

 private:
  void add(std::string what, std::string remedy) {
    problems_.push_back({table_.place(row_), std::move(what), std::move(remedy)});
  }

  void read_field(const ops::KernelField& field, ops::KernelKey& key) {
    const std::string_view word = table_.text(row_, field.name);
    const bool is_needed = field.name == "kind" || field.name == "m";
    if (word.empty()) {
      if (is_needed) add("no " + std::string(field.name), "a kernel needs its kind and its m");
      return;
    }
    if (field.names.empty()) {
      try {
        field.set(key, table_.integer(row_, field.name).value_or(0));
      } catch (const UserError& error) {
        problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
      }
      return;
    }
    const auto found = std::find(field.names.begin(), field.names.end(), word);
    if (found == field.names.end())
      add("unknown " + std::string(field.name) + " \"" + std::string(word) + "\"",
          "it is one of " + listed(field.names));
    else
      field.set(key, static_cast<std::int32_t>(found - field.names.begin()));
  }

  const CsvTable& table_;
  std::size_t row_;
  std::vector<Problem>& problems_;
};

void check_columns(const CsvTable& table, std::vector<Problem>& problems) {
  for (const std::string& column : table.columns())
    if (!is_known(column))
      problems.push_back(
          {table.header_place(), "unknown column \"" + column + "\"",
           "columns are the members of a kernel's key: kind, precision, layout, m, n, k, ..."});
}

void add_once(const ops::KernelKey& key, std::vector<ops::KernelKey>& kernels) {
  if (std::find(kernels.begin(), kernels.end(), key) == kernels.end()) kernels.push_back(key);
}

}  // namespace

std::optional<ops::KernelKey> read_kernel(const CsvTable& table, std::size_t row,
                                          std::vector<Problem>& problems) {
  return RowReader(table, row, problems).read();
}

std::vector<ops::KernelKey> read_kernels(const CsvTable& table) {
  std::vector<Problem> problems;
  check_columns(table, problems);
  std::vector<ops::KernelKey> kernels;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto key = read_kernel(table, row, problems);
    if (!key) continue;
    if (const char* why = why_not_run(*key))
      problems.push_back({table.place(row), "this kernel cannot be measured: " + std::string(why),
                          "leave " + ops::describe(*key) + " out of the table"});
    else
      add_once(*key, kernels);
  }
  if (problems.empty() && kernels.empty())
    problems.push_back({table.header_place(), "the table has no kernel", "add one row per kernel"});
  if (!problems.empty()) throw UserError(std::move(problems));
  return kernels;
}

ChosenKernels read_wanted_kernels(const CsvTable& table, std::string_view gpu) {
  std::vector<Problem> problems;
  check_columns(table, problems);
  ChosenKernels out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto key = read_kernel(table, row, problems);
    if (!key) continue;
    const std::string_view of = table.text(row, "gpu");
    if (!gpu.empty() && !of.empty() && of != gpu)
      ++out.left_out["kernels of another GPU"];
    else if (key->library != ops::KernelLibrary::training)
      ++out.left_out["kernels of a serving library are not supported"];
    else if (const char* why = why_not_run(*key))
      ++out.left_out[std::string(ops::name_of(key->kind)) + ": " + why];
    else
      add_once(*key, out.kernels);
  }
  if (!problems.empty()) throw UserError(std::move(problems));
  return out;
}

}  // namespace echo::profilers
