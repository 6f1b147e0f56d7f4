#include "cli/terminal/problem_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/printable.hpp"
#include "cli/terminal/terminal.hpp"
#include "text/json.hpp"

namespace echo::cli {

static const char* word_of(Problem::Severity severity) {
  return severity == Problem::Severity::error ? "error" : "warning";
}

namespace {

// The lines of the files that problems are in, each file read once. They are as long as files make them.
class Lines {
 public:
  // Empty where there is none.
  std::string line_of(const Place& place) {
    if (place.line <= 0) return "";
    if (place.file != file_ || place.line <= passed_) {
      file_ = place.file;
      stream_ = std::ifstream();
      std::error_code failed;
      if (std::filesystem::is_regular_file(file_, failed)) stream_.open(file_, std::ios::binary);
      passed_ = 0;
    }
    while (passed_ < place.line) {
      if (!std::getline(stream_, line_)) return "";
      ++passed_;
    }
    if (line_.ends_with('\r')) line_.pop_back();
    return line_;
  }

 private:
  std::string file_, line_;
  std::ifstream stream_;
  std::int32_t passed_ = 0;
};

// Cuts an overlong line down to the part around the place; adjusts `column`.
std::string clipped(const std::string& line, std::int32_t& column) {
  constexpr std::size_t widest = 200, before = 80;
  if (line.size() <= widest) return line;
  const std::size_t at = static_cast<std::size_t>(std::max(column - 1, 0));
  const auto whole = [&](std::size_t i) {  // start of the next UTF-8 character
    while (i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0U) == 0x80U) ++i;
    return i;
  };
  const std::size_t first = whole(std::min(at > before ? at - before : 0, line.size() - widest / 2));
  const std::size_t last = whole(std::min(first + widest, line.size()));
  const std::string start = first > 0 ? "..." : "", end = last < line.size() ? "..." : "";
  column -= static_cast<std::int32_t>(first) - static_cast<std::int32_t>(start.size());
  return start + line.substr(first, last - first) + end;
}

// Bytes of the first `count` characters.
std::size_t bytes_of(std::string_view line, std::int32_t count) {
  std::size_t bytes = 0;
  for (; count > 0 && bytes < line.size(); --count)
    bytes += std::max<std::size_t>(utf8_length(line.substr(bytes)), 1);
  return bytes;
}

std::int32_t characters_of(std::string_view line) {
  std::int32_t count = 0;
  for (; !line.empty(); ++count) line.remove_prefix(std::max<std::size_t>(utf8_length(line), 1));
  return count;
}

// For a terminal; names in traces are as long as files make them.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 2000, start = 1500, end = 300;
  if (text.size() <= longest) return printable(text);
  return printable(text.substr(0, start)) + " ... " + printable(text.substr(text.size() - end));
}

std::string text_of(const Problem& problem, bool colour, Lines& lines) {
  Place place = problem.place;
  std::string where = shown(place.file);
  if (place.line > 0) where += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) where += fmt::format(":{}", place.column);
  if (!where.empty()) where += ": ";
  std::string text = fmt::format(
      "{}{} {}\n", where, red(std::string(word_of(problem.severity)) + ":", colour), shown(problem.what));
  const std::string line = clipped(lines.line_of(place), place.column);
  if (line.empty()) {
    if (!problem.remedy.empty()) text += fmt::format("  {}\n", shown(problem.remedy));
    return text;
  }
  text += fmt::format("{:>5} | {}\n", place.line, printable(line));
  // Columns count characters, of which some are shown as several.
  const std::size_t start = bytes_of(line, place.column - 1);
  const std::string_view marked =
      std::string_view(line).substr(start, bytes_of(std::string_view(line).substr(start), place.length));
  std::string lead;  // tabs are kept, so that the caret is aligned at any tab width
  for (const char c : printable(std::string_view(line).substr(0, start)))
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) lead += c == '\t' ? '\t' : ' ';
  const std::int32_t width = std::max(characters_of(printable(marked)), 1);
  const std::string caret = "^" + std::string(static_cast<std::size_t>(width - 1), '~');
  text += fmt::format("      | {}{} {}\n", lead, caret, shown(problem.remedy));
  return text;
}

}  // namespace

std::string problem_text(const Problem& problem, bool colour) {
  Lines lines;
  return text_of(problem, colour, lines);
}

std::string problem_text(const UserError& error, bool colour, Purpose purpose) {
  std::string text;
  Lines lines;
  std::int64_t errors = 0, warnings = 0;
  for (const Problem& problem : error.problems()) {
    text += text_of(problem, colour, lines);
    ++(problem.severity == Problem::Severity::error ? errors : warnings);
  }
  if (error.exit_code() != 2) return text;
  const auto counted = [](std::int64_t n, const char* noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
  };
  return text + counted(errors, "error") + (warnings > 0 ? ", " + counted(warnings, "warning") : "") +
         (purpose == Purpose::simulate ? "; nothing was simulated (exit 2)\n" : " (exit 2)\n");
}

std::string problem_json(const UserError& error) {
  text::Json json;
  json.open_object().member("exit_code", error.exit_code()).key("problems").open_array();
  for (const Problem& problem : error.problems()) {
    json.open_object().member("severity", word_of(problem.severity)).member("file", problem.place.file);
    json.member("line", problem.place.line)
        .member("column", problem.place.column)
        .member("length", problem.place.length);
    json.member("what", problem.what).member("remedy", problem.remedy).close();
  }
  json.close().close();
  return json.text();
}

}  // namespace echo::cli
