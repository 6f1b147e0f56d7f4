#include "cli/terminal/problem_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/terminal/terminal.hpp"
#include "text/json.hpp"

namespace echo::cli {

static const char* word_of(Problem::Severity severity) {
  return severity == Problem::Severity::error ? "error" : "warning";
}

static std::string line_of(const Place& place) {
  std::ifstream file(place.file);
  std::string line;
  for (std::int32_t i = 0; i < place.line; ++i) {
    if (!std::getline(file, line)) return "";
  }
  return line;
}

// Cuts an overlong line down to the part around the place; adjusts `column`.
static std::string clipped(const std::string& line, std::int32_t& column) {
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

std::string problem_text(const Problem& problem, bool colour) {
  Place place = problem.place;
  std::string where = place.file;
  if (place.line > 0) where += fmt::format(":{}", place.line);
  if (place.line > 0 && place.column > 0) where += fmt::format(":{}", place.column);
  if (!where.empty()) where += ": ";
  std::string text = fmt::format("{}{} {}\n", where,
                                 red(std::string(word_of(problem.severity)) + ":", colour), problem.what);
  const std::string line = place.line > 0 ? clipped(line_of(place), place.column) : "";
  if (line.empty()) {
    if (!problem.remedy.empty()) text += fmt::format("  {}\n", problem.remedy);
    return text;
  }
  const std::string number = fmt::format("{:>5}", place.line);
  text += fmt::format("{} | {}\n", number, line);
  std::string lead;  // tabs are kept, so that the caret is aligned at any tab width
  for (const char c : line) {
    if (static_cast<std::int32_t>(lead.size()) + 1 >= place.column) break;
    const bool inside_character =
        (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // UTF-8: columns count characters
    if (!inside_character) lead += c == '\t' ? '\t' : ' ';
  }
  const std::string caret = "^" + std::string(static_cast<std::size_t>(std::max(place.length - 1, 0)), '~');
  text += fmt::format("      | {}{} {}\n", lead, caret, problem.remedy);
  return text;
}

std::string problem_text(const UserError& error, bool colour) {
  std::string text;
  std::int64_t errors = 0, warnings = 0;
  for (const Problem& problem : error.problems()) {
    text += problem_text(problem, colour);
    ++(problem.severity == Problem::Severity::error ? errors : warnings);
  }
  if (error.exit_code() != 2) return text;
  const auto counted = [](std::int64_t n, const char* noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
  };
  return text + counted(errors, "error") + (warnings > 0 ? ", " + counted(warnings, "warning") : "") +
         "; nothing was simulated (exit 2)\n";
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
