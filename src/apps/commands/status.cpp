// echo-sweep status FILE.h5: whether a sweep is complete; what a batch script asks instead of trusting $?.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "apps/command.hpp"
#include "apps/json.hpp"
#include "apps/show_quantity.hpp"
#include "parallel/journal.hpp"
#include "parallel/shard.hpp"
#include "parallel/stop_signal.hpp"
#include "results/result_file.hpp"

namespace echo::apps::commands {

namespace {

struct StatusOptions {
  std::string file;
  bool json = false, exit_code = false;
};

// Bytes in the journals of a sweep under way; 0 when there are none.
std::uintmax_t journal_bytes(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  if (!std::filesystem::is_directory(folder)) return 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

int run_status(const StatusOptions& options) {
  const auto state = results::read_state(options.file);
  const std::uintmax_t journalled = journal_bytes(parallel::journal_folder(options.file));
  // A shard lacks the other shards' points; it is complete when it has its own.
  const bool complete =
      state && (state->complete ||
                (!state->shard.empty() &&
                 state->rows == parallel::ids_of(parallel::parse_shard(state->shard), state->ids).count()));
  const char* word = complete ? "complete" : journalled > 0 ? "resumable" : "absent";
  if (options.json) {
    Json json;
    json.open_object().member("file", options.file).member("state", word);
    json.member("rows", state ? state->rows : 0).member("journal_bytes", journalled);
    json.member("rows_digest", state ? state->rows_digest : "").close();
    fmt::print("{}", json.text());
  } else if (complete) {
    fmt::print("complete  {} rows, {} feasible, digest {}\n", show_count(state->rows),
               show_count(state->by_status[0]), state->rows_digest);
  } else {
    fmt::print("{}  {} bytes in journals{}\n", word, journalled,
               journalled > 0 ? "; run the same command again to go on" : "; nothing was run yet");
  }
  if (!options.exit_code || complete) return 0;
  return journalled > 0 ? parallel::exit_resumable : 5;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<StatusOptions>();
  options.argument(chosen->file, "FILE", "result file, there or still to come");
  options.flag(chosen->exit_code, "--exit-code",
               "exit 0 when complete, 75 when a relaunch would go on, 5 when absent");
  options.flag(chosen->json, "--json", "JSON on stdout");
  return [chosen](Invocation&) { return run_status(*chosen); };
}

}  // namespace

extern const Command status{.name = "status", .summary = "whether a sweep is complete", .declare = declare};

}  // namespace echo::apps::commands
