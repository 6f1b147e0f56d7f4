// Subcommands, one file each in commands/: each file defines one symbol, which is its entry in the table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace echo::cli {

// The command line as typed; MPI may read it.
struct Invocation {
  int argc = 0;
  char** argv = nullptr;
  [[nodiscard]] std::string text() const;  // arguments joined by blanks, for provenance
};

struct Command {
  const char* name;
  const char* summary;  // one line for --help
  // Declares its options; the returned function runs the command and returns the exit code. It may throw
  // UserError.
  std::function<int(Invocation&)> (*declare)(Options&);
  bool reads_inputs = true;  // and has --max-memory
  bool simulates = false;    // points, as its purpose: an error says that none was
};

[[nodiscard]] std::span<const Command* const> command_table();  // sorted by name

// A row of the table with its options, as --help lists them.
struct DeclaredCommand {
  std::string name, summary;
  std::vector<DeclaredOption> options;
};
[[nodiscard]] std::vector<DeclaredCommand> declared_commands();  // sorted by name

// Parses, runs one command, and turns what it throws into a message on stderr and an exit code (product
// contract: 0 done, 1 internal error, 2 usage or input, 3 nothing feasible, 4 failures, 5 files, 75 stopped
// early). `echo-sweep FILE.toml ...` means `echo-sweep run FILE.toml ...`.
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace echo::cli
