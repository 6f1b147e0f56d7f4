#include "cli/terminal/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace echo::cli {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

std::int64_t line_width(std::FILE* stream) {
  if (const char* const columns = std::getenv("COLUMNS"); columns != nullptr) {
    char* end = nullptr;
    const long width = std::strtol(columns, &end, 10);
    if (end != columns && *end == '\0' && width > 0) return width;
  }
  winsize size{};
  if (!is_terminal(stream) || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

bool wants_colour(std::FILE* stream, bool no_colour_flag) {
  const char* refused = std::getenv("NO_COLOR");
  return !no_colour_flag && (refused == nullptr || *refused == '\0') && is_terminal(stream);
}

static std::string wrapped(std::string_view text, const char* code, bool colour) {
  return colour ? code + std::string(text) + "\x1b[0m" : std::string(text);
}
std::string bold(std::string_view text, bool colour) { return wrapped(text, "\x1b[1m", colour); }
std::string red(std::string_view text, bool colour) { return wrapped(text, "\x1b[31;1m", colour); }

}  // namespace echo::cli
