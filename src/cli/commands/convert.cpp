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

struct Written {
  std::int64_t ranks = 0, ops = 0;
};

trace_io::NextRank counted(trace_io::NextRank next, Written& written) {
  return [next = std::move(next), &written] {
    const trace::RankTrace* rank = next();
    if (rank != nullptr) ++written.ranks, written.ops += std::ssize(rank->nodes);
    return rank;
  };
}

void say_written(const trace::Trace& tables, const Written& written, const trace_io::Format& format,
                 const std::string& output) {
  say("{} ops of {} of {} ranks, {} groups, as {}\n", text::show_count(written.ops),
      text::show_count(written.ranks), text::show_count(tables.world),
      text::show_count(std::ssize(tables.groups)), format.name);
  if (*format.loses != '\0' && tables.format != format.name) say("lost: {}\n", format.loses);
  say("file {}\n", output);
}

void write_whole(const ConvertOptions& options, const trace_io::Format& format) {
  trace::Trace trace = find_trace(options.source);
  PricedOps priced;
  if (!options.cluster.empty())
    priced = price_untimed(trace, options.cluster, options.gpu, options.source.preset_paths);
  format.write(trace, options.output);
  Written written{std::ssize(trace.ranks), 0};
  for (const trace::RankTrace& rank : trace.ranks) written.ops += std::ssize(rank.nodes);
  if (!options.cluster.empty())
    say("priced {} ops without a duration; {} remain without one\n", text::show_count(priced.priced),
        text::show_count(priced.left));
  say_written(trace, written, format, options.output);
}

int run_convert(ConvertOptions& options) {
  if (options.output.empty()) throw UserError("convert needs an output file", "add -o trace.jsonl.gz");
  if (options.cluster.empty() && !options.gpu.empty())
    throw UserError("--gpu replaces the GPUs of a cluster", "add --cluster");
  const trace_io::Format& format = format_to_write(options);
  options.source.every_rank = format.is_of_every_rank;
  if (is_generated(options.source) && options.cluster.empty() && format.write_ranks != nullptr)
    stream_generated(options.source, [&](const trace::Trace& tables, const trace_io::NextRank& next) {
      Written written;
      format.write_ranks(tables, counted(next, written), options.output);
      say_written(tables, written, format, options.output);
    });
  else
    write_whole(options, format);
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
