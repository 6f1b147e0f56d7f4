// Functions that libecho_nccl.so exports in addition to NCCL's. Functions from static archives are hidden.
#include "exsitu/answers.hpp"
#include "exsitu/gpu_side.hpp"

// For the program (Python): marks a place in it.
extern "C" __attribute__((visibility("default"))) void echo_nccl_mark(const char* text) {
  echo::exsitu::answers::mark(text);
}

// For libecho_inject.so.
extern "C" __attribute__((visibility("default"))) void echo_nccl_set_gpu_side(
    const echo::exsitu::GpuSide* side) {
  echo::exsitu::set_gpu_side(side);
}
