// echo-sweep convert FILE -o OUT: writes a trace of any format, or the step of a row or sweep, in another
// format.

#include <array>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
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

// From --to, otherwise from the extension of the output file.
const trace_io::Format& format_to_write(const ConvertOptions& options) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> endings{
      {{".jsonl", "echo"}, {".jsonl.gz", "echo"}, {".et", "chakra"}, {".txt", "astra_text"}}};
  std::string name = options.format;
  for (const auto& [ending, format] : endings)
    if (name.empty() && options.output.ends_with(ending)) name = format;
  if (name.empty())
    throw UserError("the name \"" + options.output + "\" does not show its format",
                    "add --to with one of " + writable());
  const trace_io::Format* format = trace_io::format_named(name);
  if (format == nullptr || format->write == nullptr)
    throw UserError("there is no output format \"" + name + "\"", "choose one of " + writable());
  return *format;
}

int run_convert(ConvertOptions& options) {
  if (options.output.empty()) throw UserError("convert needs an output file", "add -o trace.jsonl.gz");
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
  say("{} ops of {} of {} ranks, {} groups, as {}\n", text::show_count(ops),
      text::show_count(std::ssize(trace.ranks)), text::show_count(trace.world),
      text::show_count(std::ssize(trace.groups)), format.name);
  if (!options.cluster.empty())
    say("priced {} ops without a duration; {} remain without one\n", text::show_count(priced.priced),
        text::show_count(priced.left));
  say("file {}\n", options.output);
  return 0;
}

std::function<int(Invocation&)> declare_convert(Options& options) {
  auto chosen = std::make_shared<ConvertOptions>();
  declare_source(options, chosen->source);
  options.value(chosen->output, "-o,--output", "file to write, or folder where the format has several files");
  options.value(chosen->format, "--to", "format to write (default: from the name of the output)");
  options.value(chosen->cluster, "--cluster", "cluster preset for pricing ops that have no duration");
  options.value(chosen->gpu, "--gpu", "GPU preset that replaces the GPUs of the cluster");
  return [chosen](Invocation&) { return run_convert(*chosen); };
}

}  // namespace

extern const Command convert{.name = "convert",
                             .summary = "write a trace, or the step of a row or sweep, in another format",
                             .declare = declare_convert};

}  // namespace echo::cli::commands
