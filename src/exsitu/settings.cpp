#include "exsitu/settings.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>

namespace echo::exsitu {

static std::string_view text_of(Environment environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

template <class Number>
static std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

template <class Number>
static Number number_or(Environment environment, const char* name, Number otherwise) {
  const std::string_view text = text_of(environment, name);
  if (text.empty()) return otherwise;
  if (const std::optional<Number> value = number_of<Number>(text)) return *value;
  complain(std::string(name) + " = \"" + std::string(text.substr(0, 80)) +
           "\" is no whole number from 0; ignored");
  return otherwise;
}

void complain(std::string_view what) {
  // One write, so that lines of several processes do not mix. If stderr is closed, the message is lost.
  std::string line = "echo: " + std::string(what) + "\n";
  for (std::size_t i = 0; i + 1 < line.size(); ++i)
    if (line[i] < ' ' || line[i] > '~') line[i] = '?';
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::int32_t version_code(std::string_view text) {
  if (const auto whole = number_of<std::int32_t>(text)) return *whole;
  std::int32_t parts[3] = {0, 0, 0};
  for (std::int32_t i = 0; i < 3; ++i) {
    const std::size_t dot = i < 2 ? text.find('.') : std::string_view::npos;
    const auto part = number_of<std::int32_t>(text.substr(0, dot));
    if (!part || *part > 99) return 0;
    parts[i] = *part;
    if (dot == std::string_view::npos)
      return i < 1 ? 0 : [&] {
        // As in nccl.h: versions up to 2.8 have one digit less.
        const bool old = parts[0] <= 2 && parts[1] <= 8;
        return old ? parts[0] * 1000 + parts[1] * 100 + parts[2]
                   : parts[0] * 10000 + parts[1] * 100 + parts[2];
      }();
    text.remove_prefix(dot + 1);
  }
  return 0;
}

std::string file_name(std::string_view pattern, std::int64_t process, std::int32_t rank) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'p')
      name += std::to_string(process);
    else if (next == 'r')
      name += rank < 0 ? std::string("unknown") : std::to_string(rank);
    else if (next == '%')
      name += '%';
    else {
      name += pattern[i];
      continue;
    }
    ++i;
  }
  return name;
}

Settings settings_of(Environment environment) {
  Settings s;
  s.trace_file = text_of(environment, "ECHO_TRACE_FILE");
  if (s.trace_file.empty()) s.trace_file = "echo_nccl.%p.records";
  s.gpu_trace_file = text_of(environment, "ECHO_GPU_TRACE_FILE");
  if (s.gpu_trace_file.empty()) s.gpu_trace_file = s.trace_file + ".gpu";
  s.groups_file = text_of(environment, "ECHO_NCCL_GROUPS");
  s.most_bytes = number_or<std::int64_t>(environment, "ECHO_TRACE_LIMIT", std::int64_t{4} << 30);
  s.copy_below = number_or<std::uint64_t>(environment, "ECHO_NCCL_COPY_BELOW", std::uint64_t{1} << 20);
  s.gpu_buffers = number_or<std::int32_t>(environment, "ECHO_GPU_BUFFERS", 16);
  const std::string_view version = text_of(environment, "ECHO_NCCL_VERSION");
  s.version = version_code(version);
  if (s.version == 0 && !version.empty())
    complain("ECHO_NCCL_VERSION is neither a code such as 22809 nor a version such as 2.28.9; ignored");
  s.rank = number_or(environment, "ECHO_RANK", number_or<std::int32_t>(environment, "RANK", -1));
  s.world = number_or(environment, "ECHO_WORLD", number_or<std::int32_t>(environment, "WORLD_SIZE", -1));
  return s;
}

static const char* process_environment(const char* name) { return std::getenv(name); }

const Settings& settings() {
  static const auto* const ours = new Settings(settings_of(process_environment));  // outlives every caller
  return *ours;
}

}  // namespace echo::exsitu
