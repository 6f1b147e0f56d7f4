// echo-sweep man: the manual page, which installing puts where `man echo-sweep` finds it.

#include "cli/command.hpp"
#include "cli/manual_page.hpp"
#include "cli/run/build_facts.hpp"
#include "cli/terminal/say.hpp"

namespace echo::cli::commands {

static std::function<int(Invocation&)> declare_man(Options&) {
  return [](Invocation&) {
    say("{}", manual_page(declared_commands(), build_facts().version));
    return 0;
  };
}

extern const Command man{.name = "man",
                         .summary = "print the manual page: echo-sweep man | man -l -",
                         .declare = declare_man,
                         .reads_inputs = false};

}  // namespace echo::cli::commands
