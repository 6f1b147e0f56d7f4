#include "nsight/sqlite.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace echo::nsight {
namespace {

// Virtual machine instructions: a plain scan needs some 30 per row, and a row takes 30 bytes of the file or
// more.
constexpr int steps_between_looks = 1'000'000;
constexpr std::int64_t least_looks = 200, bytes_per_look = 100'000;
constexpr int longest_cell = 16 << 20;

int one_look(void* left) { return --*static_cast<std::int64_t*>(left) < 0 ? 1 : 0; }

}  // namespace

bool is_sqlite(std::string_view bytes) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  return bytes.substr(0, magic.size()) == magic;
}

void SqliteFile::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

SqliteFile::SqliteFile(const std::string& path) : path_(path) {
  std::error_code failed;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, failed));
  if (failed) refuse("it cannot be read");
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  handle_.reset(handle);
  if (opened != SQLITE_OK) refuse("it cannot be opened");
  steps_left_ = std::make_unique<std::int64_t>(least_looks + bytes / bytes_per_look);
  sqlite3_progress_handler(handle, steps_between_looks, one_look, steps_left_.get());
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_cell);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

void SqliteFile::refuse(const std::string& why) const {
  throw UserError({Problem{{path_, 0, 0, 1},
                           "this is not a readable SQLite export of Nsight Systems: " + why,
                           "export the report again: nsys export --type sqlite FILE.nsys-rep"}});
}

std::vector<std::string> SqliteFile::columns(const std::string& table) const {
  SqliteQuery found(*this,
                    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '" + table + "'");
  if (!found.next() || found.integer(0).value_or(0) != 1) return {};
  std::vector<std::string> names;
  SqliteQuery info(*this, "SELECT name FROM pragma_table_info('" + table + "')");
  while (info.next()) names.push_back(info.text(0).value_or(""));
  return names;
}

void SqliteQuery::Finish::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

SqliteQuery::SqliteQuery(const SqliteFile& file, const std::string& sql) : file_(file) {
  sqlite3_stmt* statement = nullptr;
  const int prepared = sqlite3_prepare_v2(file.handle_.get(), sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (prepared != SQLITE_OK) file_.refuse(sqlite3_errmsg(file.handle_.get()));
}

void SqliteQuery::bind(std::int64_t value) {
  sqlite3_reset(statement_.get());
  sqlite3_bind_int64(statement_.get(), 1, value);
}

bool SqliteQuery::next() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_INTERRUPT) file_.refuse("its tables are views or virtual tables");
  if (result != SQLITE_DONE) file_.refuse(sqlite3_errmsg(file_.handle_.get()));
  return false;
}

std::optional<std::int64_t> SqliteQuery::integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<std::string> SqliteQuery::text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) return std::nullopt;
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(text),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

}  // namespace echo::nsight
