// echo-sweep export FILE: writes rows as CSV or JSON lines, for programs that cannot read HDF5. ("export" is
// a C++ keyword.)
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <sstream>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "query/text/row_export.hpp"

namespace echo::cli::commands {

namespace {

struct ExportOptions {
  std::string file, format = "csv", output, columns, where;
};

std::vector<std::string> names_in(const std::string& list) {
  std::istringstream in(list);
  std::vector<std::string> names;
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

[[noreturn]] void refuse(const std::string& output) {
  throw UserError("cannot write \"" + (output.empty() ? "standard output" : output) + "\"",
                  "check that the folder exists and that the disk has free space", 5);
}

int run_export(const ExportOptions& options) {
  const results::ResultFile rows(options.file);
  const query::ExportRequest request{
      .format = options.format == "csv" ? query::ExportFormat::csv : query::ExportFormat::jsonl,
      .columns = names_in(options.columns),
      .where = options.where};
  const auto close = [](std::FILE* file) { return file == stdout ? 0 : std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> out(
      options.output.empty() ? stdout : std::fopen(options.output.c_str(), "wb"), close);
  if (!out) refuse(options.output);
  query::export_rows(rows, request, [&](std::string_view lines) {
    if (std::fwrite(lines.data(), 1, lines.size(), out.get()) != lines.size()) refuse(options.output);
  });
  if (std::fflush(out.get()) != 0) refuse(options.output);
  return 0;
}

std::function<int(Invocation&)> declare_export_rows(Options& options) {
  auto chosen = std::make_shared<ExportOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.choice(chosen->format, "--format", {"csv", "jsonl"},
                 "output format; jsonl: one JSON object per line");
  options.value(chosen->output, "-o,--output", "file to write (default: standard output)");
  options.value(chosen->columns, "--columns", "column names, as in config_id,tp,step_time (default: all)");
  options.value(chosen->where, "--where",
                "only rows that satisfy this condition, as in \"status == 'ok' and gpus <= 1024\"");
  return [chosen](Invocation&) { return run_export(*chosen); };
}

}  // namespace

extern const Command export_rows{
    .name = "export", .summary = "export rows as CSV or JSON lines", .declare = declare_export_rows};

}  // namespace echo::cli::commands
