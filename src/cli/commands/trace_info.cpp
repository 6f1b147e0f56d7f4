// echo-sweep trace-info FILE: summarises a trace and says which axes can be swept.

#include <memory>

#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "cli/traces/trace_source.hpp"
#include "cli/traces/trace_summary_text.hpp"

namespace echo::cli::commands {

namespace {

struct InfoOptions {
  TraceSource source;
  bool json = false;
};

int run_info(const InfoOptions& options) {
  const trace::Trace trace = find_trace(options.source);
  const TraceSummary summary = summarise(trace);
  say("{}", options.json ? summary_json(trace, summary) : summary_text(trace, summary));
  return 0;
}

std::function<int(Invocation&)> declare_trace_info(Options& options) {
  auto chosen = std::make_shared<InfoOptions>();
  declare_source(options, chosen->source);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_info(*chosen); };
}

}  // namespace

extern const Command trace_info{
    .name = "trace-info", .summary = "summarise a trace and say which axes can be swept", .declare = declare_trace_info};

}  // namespace echo::cli::commands
