#include "trace_io/chakra/chakra_facts.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "trace_io/io/json_pull.hpp"
#include "trace_io/model/kernel_words.hpp"

namespace echo::trace_io {

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::GlobalMetadata;

namespace {

constexpr const char* gpu_name = "echo_gpu";
constexpr const char* roles_name = "echo_roles";      // "1 data": pg_name and role
constexpr const char* kernels_name = "echo_kernels";  // each as a JSON object, as in our own format

const AttributeProto* find(const GlobalMetadata& metadata, std::string_view name) {
  const auto found = std::find_if(metadata.attr().begin(), metadata.attr().end(),
                                  [&](const AttributeProto& one) { return one.name() == name; });
  return found == metadata.attr().end() ? nullptr : &*found;
}

void read_role(const std::string& text, ChakraFacts& out, std::vector<std::string>& problems) {
  const std::size_t blank = text.rfind(' ');
  const std::string_view word = std::string_view(text).substr(blank == std::string::npos ? 0 : blank + 1);
  const auto role = std::find(trace::group_role_names.begin(), trace::group_role_names.end(), word);
  if (blank == std::string::npos || role == trace::group_role_names.end())
    problems.push_back(std::string(roles_name) + " has \"" + text + "\", which is no group and role");
  else
    out.roles.emplace(text.substr(0, blank),
                      static_cast<trace::GroupRole>(role - trace::group_role_names.begin()));
}

void read_kernel_text(const std::string& text, ChakraFacts& out, std::vector<std::string>& problems) {
  try {
    JsonPull json{std::string_view(text)};
    out.kernels.push_back(read_kernel(json));
    json.finish();
  } catch (const JsonFault& fault) {
    problems.push_back(std::string(kernels_name) + " has " + text + ": " + fault.what());
  }
}

}  // namespace

ChakraFacts facts_of(const GlobalMetadata& metadata, std::vector<std::string>& problems) {
  ChakraFacts out;
  if (const auto* gpu = find(metadata, gpu_name)) out.gpu = gpu->string_val();
  if (const auto* roles = find(metadata, roles_name))
    for (const std::string& one : roles->string_list().values()) read_role(one, out, problems);
  if (const auto* kernels = find(metadata, kernels_name))
    for (const std::string& one : kernels->string_list().values()) read_kernel_text(one, out, problems);
  return out;
}

ChakraFacts facts_of(const trace::Trace& trace, const std::vector<std::string>& pg_names) {
  ChakraFacts out{trace.gpu, {}, trace.kernels};
  for (std::size_t g = 0; g < trace.groups.size(); ++g)
    if (trace.groups[g].role != trace::GroupRole::unknown)
      out.roles.emplace(pg_names[g].empty() ? "0" : pg_names[g], trace.groups[g].role);
  return out;
}

void state(const ChakraFacts& facts, GlobalMetadata& metadata) {
  if (!facts.gpu.empty()) state_gpu(facts.gpu, metadata);
  if (!facts.roles.empty()) {
    AttributeProto& roles = *metadata.add_attr();
    roles.set_name(roles_name);
    for (const auto& [group, role] : facts.roles)
      roles.mutable_string_list()->add_values(group + " " + std::string(trace::group_role_names[at(role)]));
  }
  if (facts.kernels.empty()) return;
  AttributeProto& kernels = *metadata.add_attr();
  kernels.set_name(kernels_name);
  for (const ops::KernelKey& key : facts.kernels)
    append_kernel(*kernels.mutable_string_list()->add_values(), key);
}

void state_gpu(const std::string& gpu, GlobalMetadata& metadata) {
  for (AttributeProto& one : *metadata.mutable_attr())
    if (one.name() == gpu_name) return one.set_string_val(gpu);
  AttributeProto& fresh = *metadata.add_attr();
  fresh.set_name(gpu_name);
  fresh.set_string_val(gpu);
}

}  // namespace echo::trace_io
