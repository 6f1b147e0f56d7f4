#include "cli/command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>

#include "base/error.hpp"
#include "base/named_table.hpp"
#include "base/unforeseen.hpp"
#include "cli/memory_option.hpp"
#include "cli/run/build_facts.hpp"
#include "cli/terminal/problem_text.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/terminal.hpp"
#include "parallel/platform/launcher.hpp"

namespace echo::cli {

std::string Invocation::text() const {
  std::string all;
  for (int i = 0; i < argc; ++i) all += (i > 0 ? " " : "") + std::string(argv[i]);
  return all;
}

std::vector<DeclaredCommand> declared_commands() {
  std::vector<DeclaredCommand> commands;
  for (const Command* command : command_table()) {
    CLI::App parser(command->summary, command->name);
    Options options(parser);
    std::string memory;
    (void)command->declare(options);
    if (command->reads_inputs) declare_memory_limit(options, memory);
    commands.push_back({command->name, command->summary, options.declared()});
    const CLI::Option* const help = parser.get_help_ptr();
    commands.back().options.push_back(
        {.names = help->get_name(false, true), .help = help->get_description()});
  }
  return commands;
}

// The arguments, the program's name left out; `run` put in front where the first is neither a command nor an
// option of the program itself.
static std::vector<std::string> with_command(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return words;
  static const std::vector<std::string> own{"-h", "--help", "--version"};
  const bool is_command = find_named(command_table(), words.front()) >= 0;
  if (!is_command && std::find(own.begin(), own.end(), words.front()) == own.end())
    words.insert(words.begin(), "run");
  return words;
}

static int report_problem(const UserError& error, const Command& command) {
  const Purpose purpose = command.simulates ? Purpose::simulate : Purpose::other;
  if (parallel::is_first_process())
    fmt::print(stderr, "{}", problem_text(error, wants_colour(stderr, false), purpose));
  return error.exit_code();
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Simulates design spaces of large-model training and ranks the configurations.", "echo-sweep");
  app.require_subcommand(1);
  app.set_version_flag("--version", [] { return version_line(build_facts()); });
  app.footer("echo-sweep FILE.toml [options] is short for echo-sweep run FILE.toml [options].");
  std::string memory;  // one for all commands: only one of them runs
  std::vector<std::function<int(Invocation&)>> actions;
  std::vector<CLI::App*> parsers;
  for (const Command* command : command_table()) {
    CLI::App* parser = app.add_subcommand(command->name, command->summary);
    Options options(*parser);
    actions.push_back(command->declare(options));
    if (command->reads_inputs) declare_memory_limit(options, memory);
    parsers.push_back(parser);
  }
  std::vector<std::string> words = with_command(argc, argv);
  std::reverse(words.begin(), words.end());  // CLI11 takes arguments last first
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return parallel::is_first_process() ? app.exit(error) : 0;  // --help, --version
    if (parallel::is_first_process())
      remark("error: {}\n(echo-sweep --help lists commands and options)\n", error.what());
    return 2;
  }
  Invocation invocation{.argc = argc, .argv = argv};
  for (std::size_t i = 0; i < parsers.size(); ++i) {
    if (!parsers[i]->parsed()) continue;
    try {
      set_memory_limit_to(memory);
      return actions[i](invocation);
    } catch (const UserError& error) {
      return report_problem(error, *command_table()[i]);
    } catch (const std::exception& error) {
      return report_problem(unforeseen(error), *command_table()[i]);
    }
  }
  return 2;
}

}  // namespace echo::cli
