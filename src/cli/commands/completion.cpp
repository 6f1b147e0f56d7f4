// echo-sweep completion SHELL: a script that completes its command line.

#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/shell_completion.hpp"
#include "cli/terminal/say.hpp"

namespace echo::cli::commands {

static std::function<int(Invocation&)> declare_completion(Options& options) {
  auto shell = std::make_shared<std::string>();
  options.choice(*shell, "SHELL", {"bash", "zsh"}, "the shell that is to load the script");
  return [shell](Invocation&) {
    if (shell->empty()) throw UserError("completion needs a shell", "echo-sweep completion bash, or zsh");
    const auto commands = declared_commands();
    say("{}", *shell == "bash" ? bash_completion(commands) : zsh_completion(commands));
    return 0;
  };
}

extern const Command completion{.name = "completion",
                                .summary = "print a script for the shell that completes the command line",
                                .declare = declare_completion,
                                .reads_inputs = false};

}  // namespace echo::cli::commands
