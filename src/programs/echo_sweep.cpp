// echo-sweep: the one program users run. Commands stand in cli/commands/.
#include "base/freed_memory.hpp"
#include "cli/command.hpp"

int main(int argc, char** argv) {
  echo::return_large_buffers();
  return echo::cli::run_command_line(argc, argv);
}
