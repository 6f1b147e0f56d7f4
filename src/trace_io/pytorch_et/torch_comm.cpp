#include "trace_io/pytorch_et/torch_comm.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {

namespace {

// Letters and digits, in lower case.
std::string bare(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

constexpr std::int64_t most_elements = std::int64_t{1} << 50;

}  // namespace

std::optional<CommKind> comm_kind(std::string_view name) {
  using Kind = ops::CollectiveKind;
  static constexpr std::array<std::pair<std::string_view, CommKind>, 18> words{{
      {"allreduce", {CommRole::collective, Kind::all_reduce}},
      {"allgather", {CommRole::collective, Kind::all_gather}},
      {"reducescatter", {CommRole::collective, Kind::reduce_scatter}},
      {"alltoall", {CommRole::collective, Kind::all_to_all}},
      {"broadcast", {CommRole::collective, Kind::broadcast}},
      {"reduceoop", {CommRole::collective, Kind::reduce}},
      {"irecv", {CommRole::recv, Kind::send_recv}},
      {"isend", {CommRole::send, Kind::send_recv}},
      {"recvanysource", {CommRole::recv, Kind::send_recv}},
      {"barrier", {CommRole::none, Kind::all_reduce}},
      {"wait", {CommRole::none, Kind::all_reduce}},
      {"startcoalescing", {CommRole::none, Kind::all_reduce}},
      {"endcoalescing", {CommRole::none, Kind::all_reduce}},
      {"init", {CommRole::none, Kind::all_reduce}},
      {"pointertopoint", {CommRole::none, Kind::all_reduce}},
      {"gather", {CommRole::none, Kind::all_reduce}},
      {"scatter", {CommRole::none, Kind::all_reduce}},
      {"coalesced", {CommRole::none, Kind::all_reduce}},
  }};
  if (const std::size_t colon = name.rfind(':'); colon != name.npos) name.remove_prefix(colon + 1);
  name = name.substr(0, name.find(' '));  // "nccl:send 0->1"
  const std::string text = bare(name);
  if (text == "send") return CommKind{CommRole::send, Kind::send_recv};
  if (text == "recv") return CommKind{CommRole::recv, Kind::send_recv};
  if (text == "reduce") return CommKind{CommRole::collective, Kind::reduce};
  for (const auto& [word, kind] : words)
    if (has(text, word)) return kind;
  return std::nullopt;
}

Bytes payload_of(const CommCall& call, CommKind kind) {
  const auto type = element_type(call.type);
  if (!type) return Bytes(0);
  const std::int64_t in = std::clamp<std::int64_t>(call.in, 0, most_elements),
                     out = std::clamp<std::int64_t>(call.out, 0, most_elements);
  if (kind.role == CommRole::recv) return Bytes((out > 0 ? out : in) * type->bytes);
  switch (kind.kind) {
    case ops::CollectiveKind::all_gather:
    case ops::CollectiveKind::reduce_scatter:
      return Bytes(std::max(in, out) * type->bytes);
    default:
      return Bytes((in > 0 ? in : out) * type->bytes);
  }
}

trace::GroupRole role_of_group(std::string_view purpose) {
  using Role = trace::GroupRole;
  const std::string text = bare(purpose);
  const auto ends = [&](std::string_view part) { return text.ends_with(part); };
  if (has(text, "expert") || ends("ep")) return Role::expert;
  if (has(text, "pipeline") || ends("pp")) return Role::pipeline;
  if (has(text, "context") || ends("cp")) return Role::context;
  if (has(text, "tensor") || ends("tp")) return Role::tensor;
  if (has(text, "shard") || has(text, "fsdp")) return Role::shard;
  if (has(text, "data") || has(text, "replicate") || ends("dp")) return Role::data;
  return Role::unknown;
}

void read_rank_list(std::string_view text, CommCall& out) {
  out.ranks.clear();
  out.is_ranks_cut = has(text, "..");
  const char *place = text.data(), *const end = text.data() + text.size();
  while (place != end) {
    std::int32_t rank = 0;
    const auto [stop, code] = std::from_chars(place, end, rank);
    if (code == std::errc{} && rank >= 0) out.ranks.push_back(rank);
    place = code == std::errc{} ? stop : place + 1;
  }
}

std::vector<std::int32_t> all_ranks_of(const CommCall& call, std::int32_t world) {
  const std::vector<std::int32_t>& known = call.ranks;
  if (!known.empty() && !call.is_ranks_cut &&
      (call.group_size < 0 || call.group_size == static_cast<std::int64_t>(known.size())))
    return known;
  std::vector<std::int32_t> all;
  if (call.group_size < 1 || call.group_size > world) return all;
  // Without a list only the group of all ranks is certain; else the stride of its first two members must
  // hold for all known members.
  if (known.size() < 3 && call.group_size != world) return all;
  const bool is_all = call.group_size == world;
  const std::int64_t stride = is_all ? 1 : known[1] - known[0], first = is_all ? 0 : known[0];
  const std::int64_t last = first + (call.group_size - 1) * stride;
  if (stride < 1 || last >= world) return all;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool is_end = i + 1 == known.size() && known[i] == last;
    if (!is_end && known[i] != first + static_cast<std::int64_t>(i) * stride) return all;
  }
  for (std::int64_t rank = first; rank <= last; rank += stride)
    all.push_back(static_cast<std::int32_t>(rank));
  return all;
}

}  // namespace echo::trace_io
