#include "results/verify_file.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "results/rows_digest.hpp"
#include "results/write/layout.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {
namespace {

using storage::Hdf5File;

std::string problem_of(const UserError& error) { return error.problems().front().what; }

bool is_column(const std::string& path) {
  return std::ranges::any_of(column_table(), [&](const Column& column) { return path_of(column) == path; });
}

// Reads whatever is in a file and notes what cannot be read.
class Walk {
 public:
  // `without_columns`: they have been read already.
  Walk(const Hdf5File& file, std::vector<std::string>& lost, bool without_columns)
      : file_(file), lost_(lost), without_columns_(without_columns) {}

  void group(const std::string& path) {
    std::vector<std::string> members;
    (void)attempt("the list of " + path, [&] { members = file_.members(path); });
    for (const std::string& one : members) {
      bool is_dataset = false;
      if (!attempt(one, [&] { is_dataset = file_.is_dataset(one); })) continue;
      if (!is_dataset)
        group(one);
      else if (!without_columns_ || !is_column(one))
        dataset(one);
    }
  }

 private:
  template <class Action>
  bool attempt(const std::string& what, const Action& action) {
    try {
      action();
      return true;
    } catch (const UserError&) {
      lost_.push_back(what);
      return false;
    }
  }

  void dataset(const std::string& path) {
    bool is_text = false;
    storage::Shape shape;
    std::size_t width = 1;
    if (!attempt("the description of " + path, [&] {
          is_text = file_.is_text(path);
          shape = file_.shape(path);
          if (!is_text) width = storage::size_of(file_.type(path));
        }))
      return;
    if (is_text || shape.empty()) return void(attempt(path, [&] { (void)file_.texts(path); }));
    width = std::accumulate(shape.begin() + 1, shape.end(), width, std::multiplies<>());
    rows(path, shape.front(), width);
  }

  void rows(const std::string& path, std::uint64_t rows, std::size_t row_bytes) {
    constexpr std::uint64_t batch = 16384;  // the rows of a chunk
    std::vector<std::byte> bytes(std::min(batch, rows) * row_bytes);
    std::optional<std::uint64_t> lost_from;
    const auto close = [&](std::uint64_t end) {
      if (lost_from)
        lost_.push_back(path + ", rows " + std::to_string(*lost_from) + " to " + std::to_string(end - 1));
      lost_from.reset();
    };
    for (std::uint64_t first = 0; first < rows; first += batch) {
      try {
        file_.read_rows(path, first, std::min(batch, rows - first), bytes.data());
        close(first);
      } catch (const UserError&) {
        if (!lost_from) lost_from = first;
      }
    }
    close(rows);
  }

  const Hdf5File& file_;
  std::vector<std::string>& lost_;
  bool without_columns_;
};

void check_digest(const std::filesystem::path& path, FileCheck& check) {
  if (const std::string found = digest_of(path); found != check.rows_digest)
    check.problem = "its columns have the digest " + found + ", not " +
                    (check.rows_digest.empty() ? "one that the file says" : check.rows_digest);
}

void check_contents(const std::filesystem::path& path, FileCheck& check) {
  const Hdf5File file(path, Hdf5File::Mode::inspect);
  check.has_sums = file.has_sums();
  check.damaged = file.damaged();
  if (!check.damaged.empty()) Walk(file, check.lost, false).group("/");
  const FileState state = read_state(file, path);
  check.schema_version = state.schema_version;
  check.rows_digest = state.rows_digest;
  check.rows = state.rows;
  if (!check.damaged.empty()) return;
  check_digest(path, check);
  Walk(file, check.lost, true).group("/");
}

}  // namespace

FileCheck verify_file(const std::filesystem::path& path) {
  FileCheck check;
  try {
    check_contents(existing(path), check);
  } catch (const UserError& error) {
    if (error.exit_code() == 2) throw;
    check.problem = problem_of(error);
  }
  return check;
}

std::optional<FileState> read_whole_state(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Hdf5File file(path, Hdf5File::Mode::inspect);
  file.require_whole();
  return read_state(file, path);
}

}  // namespace echo::results
