#include "trace_io/format.hpp"

#include <zlib.h>

#include <array>
#include <filesystem>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "base/memory_limit.hpp"

namespace echo::trace_io {

namespace {

constexpr std::size_t head_size = 4096;

std::string head_of(const std::string& path) {
  if (std::filesystem::is_directory(path)) return {};
  gzFile file = gzopen(path.c_str(), "rb");  // plain files as they are
  if (file == nullptr) throw UserError(path + " cannot be read", "check the path and its permissions");
  std::array<char, head_size> bytes{};
  const int count = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  if (count < 0) throw UserError(path + " cannot be read", "it is damaged or truncated");
  return {bytes.data(), static_cast<std::size_t>(count)};
}

std::string names_of_formats() {
  std::string out;
  for (const Format* format : format_table())
    if (format->read != nullptr) out += (out.empty() ? "" : ", ") + std::string(format->name);
  return out;
}

}  // namespace

NextRank ranks_of(const trace::Trace& trace) {
  return [&trace, next = std::size_t{0}]() mutable {
    return next < trace.ranks.size() ? &trace.ranks[next++] : nullptr;
  };
}

const Format* format_named(std::string_view name) {
  for (const Format* format : format_table())
    if (name == format->name) return format;
  return nullptr;
}

const Format& format_of(const std::string& path) {
  if (!std::filesystem::exists(path))
    throw UserError(path + " cannot be read", "check the path and its permissions");
  const std::string head = head_of(path);
  for (const Format* format : format_table())
    if (format->read != nullptr && format->recognises(path, head)) return *format;
  throw UserError(path + " is not a trace of a known format", "specify its format: " + names_of_formats());
}

namespace {

trace::Trace read_any(const Source& source, std::string_view name) {
  const Format* format = name.empty() ? &format_of(source.path) : format_named(name);
  if (format == nullptr || format->read == nullptr)
    throw UserError("there is no trace format \"" + std::string(name) + "\"",
                    "choose one of " + names_of_formats());
  trace::Trace trace = format->read(source);
  trace.format = format->name;
  if (trace.name.empty()) {
    const std::filesystem::path path(source.path);
    const std::string file = (path.has_filename() ? path : path.parent_path()).filename().string();
    trace.name = file.substr(0, file.find('.', 1));
  }
  if (const std::string problem = trace::why_unsound(trace); !problem.empty())
    throw UserError(source.path + ": " + problem, "the file contradicts itself; record it again");
  return trace;
}

}  // namespace

trace::Trace read_trace(const Source& source, std::string_view name) {
  return within_memory(source.path, [&] { return read_any(source, name); });
}

}  // namespace echo::trace_io
