// Read access to an untrusted SQLite file: it is never written, none of its code runs, and a query that does
// more work than a file of its size can need is aborted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace echo::nsight {

// Whether the bytes begin as an SQLite file does.
[[nodiscard]] bool is_sqlite(std::string_view bytes);

class SqliteFile {
 public:
  // Every failure, of this and of what follows, is a UserError of exit code 2 that names the file.
  explicit SqliteFile(const std::string& path);
  // Columns of a table; none where there is no such table (a view is none).
  [[nodiscard]] std::vector<std::string> columns(const std::string& table) const;
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  friend class SqliteQuery;
  struct Close {
    void operator()(sqlite3*) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::unique_ptr<std::int64_t> steps_left_;  // its place must not move
};

class SqliteQuery {
 public:
  SqliteQuery(const SqliteFile&, const std::string& sql);
  void bind(std::int64_t value);  // to the one "?", for the next pass
  [[nodiscard]] bool next();      // false at the end
  // A cell of the current row; nothing where the cell is of another kind.
  [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
  [[nodiscard]] std::optional<std::string> text(int column) const;

 private:
  struct Finish {
    void operator()(sqlite3_stmt*) const;
  };
  const SqliteFile& file_;
  std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

}  // namespace echo::nsight
