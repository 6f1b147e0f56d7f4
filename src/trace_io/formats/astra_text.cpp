// The text workloads that ASTRA-sim's converter reads. Source: src/converter/text_converter.py of
// https://github.com/mlcommons/chakra; the format is that of ASTRA-sim 1.0's workloads.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "trace_io/astra/astra_step.hpp"
#include "trace_io/format.hpp"

namespace echo::trace_io::formats {

namespace {

constexpr std::int32_t ranks_unless_said = 2;
constexpr std::int64_t most_ranks = 1 << 20;

bool recognises(const std::string& path, std::string_view head) {
  return !std::filesystem::is_directory(path) && begins_like_astra_text(head);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    throw UserError({Problem{Place{path}, "the file cannot be read", "check the path and its permissions"}});
  return text.str();
}

// The product of npus_count of ASTRA-sim's network file: "npus_count: [ 4, 8 ]".
std::int32_t ranks_of_network(const std::string& path) {
  const std::string text = text_of(path), key = "npus_count:";
  const std::size_t begin = text.find(key);
  std::int64_t ranks = begin == std::string::npos ? 0 : 1, next = 0;
  bool inside = false;
  for (std::size_t i = begin == std::string::npos ? text.size() : begin + key.size(); i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit) next = std::min(next * 10 + (text[i] - '0'), most_ranks);
    if (!digit && inside) ranks = std::min(ranks * next, most_ranks), next = 0;
    inside = digit;
    if (text[i] == ']') break;
  }
  if (ranks < 1 || ranks == most_ranks)
    throw UserError({Problem{Place{path}, "the file has no valid npus_count: [ ... ]",
                             "pass ASTRA-sim's network file with the workload"}});
  return static_cast<std::int32_t>(ranks);
}

trace::Trace read(const Source& source) {
  const AstraTable table = read_astra_table(text_of(source.path), source.path);
  std::int32_t ranks = table.ranks;
  if (!source.beside.empty()) ranks = ranks_of_network(source.beside);
  trace::Trace trace = step_of(table, ranks > 0 ? ranks : ranks_unless_said);
  if (ranks == 0)
    trace.notes.push_back(
        "the file does not give the number of ranks: assumed to be " + std::to_string(ranks_unless_said) +
        "; write \"npus: 16\" after the first word, or pass ASTRA-sim's network file with it");
  return trace;
}

void write(const trace::Trace& trace, const std::string& path) {
  const bool its = trace.format == "astra_text" && !trace.extras.empty() && !trace.ranks.empty();
  const std::string text = trace_io::text_of(its ? table_of_its_step(trace) : table_of_step(trace));
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush())
    throw UserError(path + " cannot be written", "check the path and the space on its disk", 5);
}

}  // namespace

extern const Format astra_text{
    .name = "astra_text",
    .summary = "ASTRA-sim's text workloads: DATA, MODEL, HYBRID_*, MICRO",
    .source = "github.com/mlcommons/chakra, text_converter.py",
    .recognises = recognises,
    .read = read,
    .write = write,
    .loses =
        "the GPU of the durations, shapes and names of kernels, roles of groups, "
        "parts of microseconds, and how much of the time between reductions each op takes"};

}  // namespace echo::trace_io::formats
