#include "tests/simulation/sim_files.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"

namespace echo::simulation {
namespace {

constexpr std::string_view magic = "simulated result";

template <class T>
void put(const T& value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put(const std::string& text, std::string& out) {
  put(text.size(), out);
  out += text;
}

struct Reader {
  std::string_view rest;
  bool is_whole = true;
  template <class T>
  T take() {
    T value{};
    if (rest.size() < sizeof value) {
      is_whole = false;
      return value;
    }
    std::memcpy(&value, rest.data(), sizeof value);
    rest.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = take<std::size_t>();
    if (size > rest.size()) {
      is_whole = false;
      return {};
    }
    std::string value(rest.substr(0, size));
    rest.remove_prefix(size);
    return value;
  }
};

std::uint64_t check_of(std::string_view bytes) { return hash64(std::as_bytes(std::span(bytes))); }

std::string digest_of(const std::vector<SimRow>& rows) {
  return std::to_string(hash64(std::as_bytes(std::span(rows))));
}

class OldRows : public results::EarlierRows {
 public:
  explicit OldRows(SimContents contents) : contents_(std::move(contents)) {}
  [[nodiscard]] std::int64_t count() const override { return std::ssize(contents_.rows); }
  [[nodiscard]] std::uint64_t config_id(std::int64_t row) const override {
    return contents_.rows[at(row)].config_id;
  }
  [[nodiscard]] sweep::PointIndex number(std::int64_t row) const override {
    return contents_.rows[at(row)].number;
  }
  [[nodiscard]] training::Status status(std::int64_t row) const override {
    return static_cast<training::Status>(contents_.rows[at(row)].status);
  }
  [[nodiscard]] const results::FileState& state() const override { return contents_.state; }
  [[nodiscard]] std::int32_t next_launch() const override { return contents_.next_launch; }
  [[nodiscard]] const SimRow& row(std::int64_t row) const { return contents_.rows[at(row)]; }

 private:
  SimContents contents_;
};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw UserError("\"" + file.string() + "\": " + why, "look at the disk", 5);
}

}  // namespace

SimRow sim_row(const sweep::Row& row) {
  return {row.id, row.config_id, static_cast<std::int64_t>(row.report.status), row.report.step.count()};
}

std::string written(const SimContents& contents) {
  std::string out(magic);
  const results::FileState& s = contents.state;
  for (const auto& text : {s.sweep_key, s.row_key, s.space_key, s.rows_digest}) put(text, out);
  put(s.ids, out);
  put(s.is_partial, out);
  put(contents.next_launch, out);
  put(contents.rows.size(), out);
  for (const SimRow& row : contents.rows) put(row, out);
  put(check_of(out), out);
  return out;
}

std::optional<SimContents> parsed(const std::string& bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + sizeof(std::uint64_t)) return std::nullopt;
  const std::string_view body = std::string_view(bytes).substr(0, bytes.size() - sizeof(std::uint64_t));
  Reader check{std::string_view(bytes).substr(body.size())};
  if (check.take<std::uint64_t>() != check_of(body)) return std::nullopt;
  Reader in{body.substr(magic.size())};
  SimContents contents;
  results::FileState& s = contents.state;
  for (auto* const text : {&s.sweep_key, &s.row_key, &s.space_key, &s.rows_digest}) *text = in.text();
  s.ids = in.take<std::int64_t>();
  s.is_partial = in.take<bool>();
  s.complete = !s.is_partial;
  contents.next_launch = in.take<std::int32_t>();
  const auto rows = in.take<std::size_t>();
  for (std::size_t i = 0; i < rows && in.is_whole; ++i) {
    contents.rows.push_back(in.take<SimRow>());
    ++s.by_status.at(static_cast<std::size_t>(contents.rows.back().status));
  }
  s.rows = std::ssize(contents.rows);
  return in.is_whole ? std::optional(std::move(contents)) : std::nullopt;
}

SimContents SimFiles::read(const std::filesystem::path& file) const {
  const auto bytes = parallel::read_whole(disk_, file);
  if (bytes.error != 0) refuse(file, std::strerror(bytes.error));
  auto contents = parsed(*bytes.it);
  if (!contents) refuse(file, "is damaged");
  return std::move(*contents);
}

std::optional<results::FileState> SimFiles::state(const std::filesystem::path& file) const {
  if (disk_.kind(file) == parallel::EntryKind::absent) return std::nullopt;
  return read(file).state;
}

std::unique_ptr<results::EarlierRows> SimFiles::open(const std::filesystem::path& file) const {
  return std::make_unique<OldRows>(read(file));
}

results::WriteSummary SimFiles::build(const std::filesystem::path& unfinished,
                                      const parallel::FileContents& contents) const {
  std::map<std::int64_t, SimRow> rows;
  const auto* const old = dynamic_cast<const OldRows*>(contents.old);
  for (std::int64_t i = 0; old != nullptr && i < old->count(); ++i) {
    SimRow row = old->row(i);
    row.number = contents.new_numbers.empty() ? row.number : contents.new_numbers[at(i)];
    if (row.number >= 0) rows[row.number] = row;
  }
  std::vector<results::FinishedRow> batch(1);
  for (std::int64_t i = 0; i < contents.rows.size(); ++i) {
    contents.rows.read(i, batch);
    rows[batch[0].row.id] = sim_row(batch[0].row);
  }
  SimContents out;
  static_cast<results::FileHeader&>(out.state) = contents.header;
  for (const auto& [number, row] : rows)
    out.rows.push_back(row), ++out.state.by_status.at(static_cast<std::size_t>(row.status));
  out.state.rows_digest = digest_of(out.rows);
  out.next_launch = old != nullptr ? old->next_launch() : 0;
  for (const auto& launch : contents.provenance.launches)
    out.next_launch = std::max(out.next_launch, launch.number + 1);

  const auto [file, error] = disk_.open(unfinished, parallel::Disk::Use::update);
  if (error != 0) refuse(unfinished, std::strerror(error));
  const std::string bytes = written(out);
  for (std::size_t first = 0; first < bytes.size(); first += 256)
    if (const int failed = file->append(std::string_view(bytes).substr(first, 256)); failed != 0)
      refuse(unfinished, std::strerror(failed));
  if (const int failed = file->close(); failed != 0) refuse(unfinished, std::strerror(failed));
  if (read(unfinished).state.rows_digest != out.state.rows_digest) refuse(unfinished, "does not read back");
  return {out.state.rows_digest, std::ssize(out.rows), out.state.by_status};
}

void SimFiles::verify(const std::filesystem::path& file, const results::WriteSummary& summary) const {
  const SimContents there = read(file);
  if (there.state.rows != summary.rows || there.state.rows_digest != summary.rows_digest ||
      digest_of(there.rows) != summary.rows_digest)
    refuse(file, "does not read back as it was written");
}

}  // namespace echo::simulation
