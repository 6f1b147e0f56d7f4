// echo-sweep: the one program users run. Commands stand in apps/commands/.
#include "cli/command.hpp"

int main(int argc, char** argv) { return echo::cli::run_command_line(argc, argv); }
