// echo-sweep: the one program users run. Commands stand in apps/commands/.
#include "apps/command.hpp"

int main(int argc, char** argv) { return echo::apps::run_command_line(argc, argv); }
