// nccl-tests prints, per run: a line with nThread and nGpus, a line per rank with host and device, a line of
// column names, rows, an average. Columns differ by version and collective: `redop` and `root` are not
// always there, `error` became `#wrong`, all-to-all has N/A in place. The line of column names decides;
// without one, the number of words does. mpirun and srun put their marks before every line. Everything else
// (warnings, NCCL_DEBUG) is skipped, but a line that starts as a row does and is none is refused.
#include "config/measured/nccl_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "config/measured/fabric_words.hpp"

namespace echo::config {
namespace {

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words out;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == line.npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    out.push_back(line.substr(begin, at - begin));
  }
  return out;
}

template <class T>
std::optional<T> number(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// "[1,0]<stdout>:# nThread ..." of mpirun, "0: # nThread" of srun -l.
std::string_view without_prefix(std::string_view line) {
  if (line.starts_with('[')) {
    const std::size_t close = line.find("<std");
    const std::size_t end = close == line.npos ? line.npos : line.find('>', close);
    if (end != line.npos && line.find(']') < close) {
      line.remove_prefix(end + 1);
      if (line.starts_with(':')) line.remove_prefix(1);
    }
    return line;
  }
  const std::size_t digits = line.find_first_not_of("0123456789 ");
  if (digits != line.npos && digits > 0 && line[digits] == ':') line.remove_prefix(digits + 1);
  return line;
}

std::string collective_in(std::string_view text) {
  constexpr std::pair<const char*, const char*> names[] = {{"all_reduce", "all_reduce"},
                                                           {"allreduce", "all_reduce"},
                                                           {"all_gather", "all_gather"},
                                                           {"allgather", "all_gather"},
                                                           {"alltoall", "alltoall"},
                                                           {"reduce_scatter", "reduce_scatter"},
                                                           {"reducescatter", "reduce_scatter"},
                                                           {"broadcast", "broadcast"},
                                                           {"sendrecv", "sendrecv"},
                                                           {"reduce_perf", "reduce"}};
  for (const auto& [word, name] : names)
    if (text.find(word) != text.npos) return name;
  return "";
}

// The facts from the lines before the rows.
struct Run {
  std::string collective, gpu;
  std::set<std::string, std::less<>> hosts, processes;
  std::set<std::int32_t> ranks;
  std::int32_t threads = 1, gpus = 1, version = 0;
  bool has_columns = false, has_redop = false, has_root = false;
};

class LogReader {
 public:
  LogReader(std::string_view text, const std::string& name, const NcclLogHints& hints)
      : text_(text), name_(name), hints_(hints) {}

  std::vector<NcclLogRow> read() {
    run_.collective = collective_in(name_.substr(name_.find_last_of('/') + 1));
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      ++line_;
      read_line(without_prefix(text_.substr(at, end - at)));
      at = end + 1;
    }
    if (rows_.empty())
      refuse("this file has no row of nccl-tests", "give the output of all_reduce_perf or a similar test", 1);
    return rows_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy, std::int32_t line = 0) const {
    throw UserError({{{name_, line > 0 ? line : line_, 1, 1}, what, remedy}});
  }

  void read_line(std::string_view line) {
    const Words words = words_of(line);
    if (words.empty()) return;
    if (const std::string named = collective_in(line);
        !named.empty() && (line.find("_perf") != line.npos || line.find("Collective test") != line.npos))
      run_.collective = named;
    if (line.find("NCCL version") != line.npos || line.find("nccl-library=") != line.npos) read_version(line);
    if (words.front().starts_with('#')) return read_comment(line, words);
    const bool is_row = words.size() >= 6 && number<std::int64_t>(words[0]) &&
                        number<std::int64_t>(words[1]) &&
                        std::isalpha(static_cast<unsigned char>(words[2].front())) != 0;
    if (is_row) read_row(words);
  }

  void read_version(std::string_view line) {
    const std::size_t library = line.find("nccl-library=");
    if (library == line.npos) {
      run_.version = read_nccl_version(line.substr(line.find("NCCL version")));
      return;
    }
    const std::string_view digits = line.substr(library + 13, 5);
    run_.version = number<std::int32_t>(digits.substr(0, digits.find_first_not_of("0123456789"))).value_or(0);
  }

  // The whole number after `name`, as in "nThread 1 nGpus 8".
  static std::int32_t after(const Words& words, std::string_view name, std::int32_t otherwise) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == name) return number<std::int32_t>(words[i + 1]).value_or(otherwise);
    return otherwise;
  }

  void read_comment(std::string_view line, const Words& words) {
    if (line.find("nThread") != line.npos) {
      const Run last = run_;
      run_ = {};
      run_.collective = last.collective, run_.version = last.version;
      run_.threads = std::clamp(after(words, "nThread", 1), 1, 4096);
      run_.gpus = std::clamp(after(words, "nGpus", 1), 1, 4096);
      return;
    }
    const bool names_columns = line.find(" size ") != line.npos && line.find(" type ") != line.npos;
    if (names_columns) {
      run_.has_columns = true;
      run_.has_redop = line.find(" redop ") != line.npos;
      run_.has_root = line.find(" root ") != line.npos;
      return;
    }
    if (words.size() > 2 && words[1] == "Rank") read_rank(line, words);
  }

  // "#  Rank  0 Group  0 Pid  2163 on    node-a device  0 [0x07] NVIDIA A100-SXM4-40GB"
  void read_rank(std::string_view line, const Words& words) {
    const auto rank = number<std::int32_t>(words[2]);
    if (!rank || *rank < 0 || *rank >= 1'000'000) return;
    run_.ranks.insert(*rank);
    std::string host;
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == "on") host = words[i + 1];
    if (!host.empty()) run_.hosts.insert(host);
    run_.processes.insert(host + "/" + std::to_string(after(words, "Pid", *rank)));
    const std::size_t bracket = line.rfind(']');
    const std::string_view device = bracket == line.npos ? "" : line.substr(bracket + 1);
    const std::size_t begin = device.find_first_not_of(' ');
    if (begin != device.npos) run_.gpu = device.substr(begin, device.find_last_not_of(" \r\t") + 1 - begin);
  }

  [[nodiscard]] double time_at(const Words& words, std::size_t at) const {
    if (words[at] == "N/A") return 0.0;
    const auto us = number<double>(words[at]);
    if (!us || !(*us >= 0.0) || *us > 1e12)
      refuse(fmt::format("\"{}\" is in the place of a time", words[at].substr(0, 40)),
             "give the log as nccl-tests printed it");
    return *us;
  }

  void read_row(const Words& words) {
    std::size_t first = 3;  // the out-of-place time
    if (run_.has_columns) {
      first += (run_.has_redop ? 1 : 0) + (run_.has_root ? 1 : 0);
      // Some versions name the column and leave it blank.
      if (run_.has_redop && std::isalpha(static_cast<unsigned char>(words[3].front())) == 0) --first;
    } else {
      first = std::max<std::size_t>(3, words.size() - std::min<std::size_t>(words.size(), 8));
    }
    if (words.size() < first + 3 || first > 5)
      refuse("the row has too few columns", "give the log as nccl-tests printed it, line by line");
    NcclLogRow row;
    row.line = line_;
    row.bytes = *number<std::int64_t>(words[0]);
    if (row.bytes < 0 || row.bytes > (std::int64_t{1} << 50))
      refuse("no message is that large", "correct or remove the row");
    row.us_out = time_at(words, first);
    const std::size_t rest = words.size() - first;
    if (rest == 8 || rest == 6) row.us_in = time_at(words, first + rest / 2);
    if (row.bytes == 0 || (row.us_out <= 0.0 && row.us_in <= 0.0)) return;
    place_row(row);
    rows_.push_back(std::move(row));
  }

  void place_row(NcclLogRow& row) const {
    row.collective = !hints_.collective.empty() ? hints_.collective : run_.collective;
    if (row.collective.empty())
      refuse("the log does not name the collective", "name it with --collective all_reduce");
    row.gpu = !hints_.gpu.empty() ? hints_.gpu : run_.gpu;
    if (row.gpu.empty()) refuse("the log does not name the GPU", "name it with --gpu h100-sxm");
    const auto listed = static_cast<std::int32_t>(run_.ranks.size());
    row.ranks = hints_.ranks > 0 ? hints_.ranks : listed > 0 ? listed : run_.threads * run_.gpus;
    const auto hosts = static_cast<std::int32_t>(run_.hosts.size());
    row.nodes = hints_.nodes > 0 ? hints_.nodes : std::max(hosts, 1);
    if (row.ranks < 2 || row.ranks > 1'000'000 || row.nodes > row.ranks)
      refuse(fmt::format("the log lists {} ranks on {} nodes", row.ranks, row.nodes),
             "give the numbers with --ranks 16 --nodes 2");
    row.gpus_per_node = (row.ranks + row.nodes - 1) / row.nodes;
    row.nccl_version = hints_.nccl_version > 0 ? hints_.nccl_version : run_.version;
    row.one_process = listed > 0 ? static_cast<std::int32_t>(run_.processes.size()) < listed
                                 : row.nodes == 1 && run_.threads * run_.gpus > 1;
  }

  std::string_view text_;
  std::string name_;
  NcclLogHints hints_;
  Run run_;
  std::vector<NcclLogRow> rows_;
  std::int32_t line_ = 0;
};

// As a CSV cell; names come from files.
std::string cell(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + '"';
}

}  // namespace

std::vector<NcclLogRow> read_nccl_log(std::string_view text, const std::string& name,
                                      const NcclLogHints& hints) {
  return LogReader(text, name, hints).read();
}

std::string as_collective_table(const std::vector<NcclLogRow>& rows, const NcclLogHints& hints) {
  std::string out =
      "gpu,gpus_per_node,nodes,ranks,collective,size_bytes,time_us_out,time_us_in,network,nccl_version,"
      "note\n";
  for (const NcclLogRow& row : rows) {
    const std::string version = row.nccl_version < 10000
                                    ? "unknown"
                                    : fmt::format("{}.{}.{}", row.nccl_version / 10000,
                                                  row.nccl_version / 100 % 100, row.nccl_version % 100);
    out += fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{},{},{}\n", cell(row.gpu), row.gpus_per_node,
                       row.nodes, row.ranks, cell(row.collective), row.bytes, row.us_out, row.us_in,
                       cell(hints.network), version, row.one_process ? "one process" : "");
  }
  return out;
}

}  // namespace echo::config
