// Facts of a whole trace for which Chakra has no field. Our writers add them to the metadata of every file,
// as attributes whose names begin with echo_; other readers pass over them.
#pragma once

#include <et_def.pb.h>

#include <map>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "trace/trace.hpp"

namespace echo::trace_io {

struct ChakraFacts {
  std::string gpu;                                // Trace::gpu
  std::map<std::string, trace::GroupRole> roles;  // by pg_name, "0": of all ranks; unknown ones left out
  std::vector<ops::KernelKey> kernels;            // Trace::kernels; echo_kernel of a node counts in it
};

// `problems`: the errors in the attributes.
[[nodiscard]] ChakraFacts facts_of(const ChakraProtoMsg::GlobalMetadata&, std::vector<std::string>& problems);
// Facts of a trace whose groups are called so in the files.
[[nodiscard]] ChakraFacts facts_of(const trace::Trace&, const std::vector<std::string>& pg_names);

// Makes metadata that lacks them say the facts.
void state(const ChakraFacts&, ChakraProtoMsg::GlobalMetadata&);
// The metadata names another GPU, or none: it names this one.
void state_gpu(const std::string& gpu, ChakraProtoMsg::GlobalMetadata&);

}  // namespace echo::trace_io
