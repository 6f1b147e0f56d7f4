// echo-sweep: the one program users run. Commands stand in cli/commands/.
#include "cli/command.hpp"

#ifdef __GLIBC__
#include <malloc.h>

// Large buffers go back to the system when they are freed. By itself glibc raises the size from which they do
// to that of the largest buffer that was freed, and a worker then holds up to 5 MB more than it uses.
static void return_large_buffers() { mallopt(M_MMAP_THRESHOLD, 256 << 10); }
#else
static void return_large_buffers() {}
#endif

int main(int argc, char** argv) {
  return_large_buffers();
  return echo::cli::run_command_line(argc, argv);
}
