// echo-sweep convert FILE -o OUT: a trace of any format, a row's or a sweep's step, written in another.
#include <fmt/core.h>

#include <array>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/traces/trace_pricing.hpp"
#include "cli/traces/trace_source.hpp"
#include "text/show_quantity.hpp"
#include "trace_io/format.hpp"

namespace echo::cli::commands {

namespace {

struct ConvertOptions {
  TraceSource source;
  std::string output, format, cluster, gpu;
};

std::string writable() {
  std::string names;
  for (const trace_io::Format* format : trace_io::format_table())
    if (format->write != nullptr) names += (names.empty() ? "" : ", ") + std::string(format->name);
  return names;
}

// By --to, else by how the output's name ends.
const trace_io::Format& format_to_write(const ConvertOptions& options) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> endings{
      {{".jsonl", "echo"}, {".jsonl.gz", "echo"}, {".et", "chakra"}, {".txt", "astra_text"}}};
  std::string name = options.format;
  for (const auto& [ending, format] : endings)
    if (name.empty() && options.output.ends_with(ending)) name = format;
  if (name.empty())
    throw UserError("which format " + options.output + " is to have cannot be told by its name",
                    "add --to with one of " + writable());
  const trace_io::Format* format = trace_io::format_named(name);
  if (format == nullptr || format->write == nullptr)
    throw UserError("no format that can be written is called \"" + name + "\"", "take one of " + writable());
  return *format;
}

int run_convert(ConvertOptions& options) {
  if (options.output.empty()) throw UserError("no output is named", "add -o trace.jsonl.gz");
  if (options.cluster.empty() && !options.gpu.empty())
    throw UserError("--gpu replaces the GPUs of a cluster", "add --cluster");
  const trace_io::Format& format = format_to_write(options);
  options.source.every_rank = format.is_of_every_rank;
  trace::Trace trace = find_trace(options.source);
  PricedOps priced;
  if (!options.cluster.empty())
    priced = price_untimed(trace, options.cluster, options.gpu, options.source.preset_paths);
  format.write(trace, options.output);
  std::int64_t ops = 0;
  for (const trace::RankTrace& rank : trace.ranks) ops += std::ssize(rank.nodes);
  fmt::print("{} ops of {} of {} ranks, {} groups, as {}\n", text::show_count(ops),
             text::show_count(std::ssize(trace.ranks)), text::show_count(trace.world),
             text::show_count(std::ssize(trace.groups)), format.name);
  if (!options.cluster.empty())
    fmt::print("priced {} ops that had no duration; {} have none still\n", text::show_count(priced.priced),
               text::show_count(priced.left));
  fmt::print("file {}\n", options.output);
  return 0;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<ConvertOptions>();
  declare_source(options, chosen->source);
  options.value(chosen->output, "-o,--output", "file to write, or folder of files, as the format has it");
  options.value(chosen->format, "--to", "format to write (default: by the output's name)");
  options.value(chosen->cluster, "--cluster",
                "price ops that have no duration on this cluster of the catalog");
  options.value(chosen->gpu, "--gpu", "with these GPUs in place of the cluster's own");
  return [chosen](Invocation&) { return run_convert(*chosen); };
}

}  // namespace

extern const Command convert{.name = "convert",
                             .summary = "write a trace, or the step of a row or sweep, in another format",
                             .declare = declare};

}  // namespace echo::cli::commands
