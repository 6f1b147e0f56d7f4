// Members of communicators. A single process cannot determine them: NCCL gets only their number or a colour.
// The program's side (Python) knows them, and appends a line to a file before each communicator is created:
//   NAME <tab> MEMBERS [<tab> UNIQUE ID, its first 32 bytes in hexadecimal]
// with members as global ranks in the order of the group: "0,8,16", "0-4095", "1-4089/8" (from, to, step).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace echo::exsitu {

struct Membership {
  std::string name;
  std::vector<std::int32_t> ranks;
  std::string unique_id;  // empty: not by an id
};

// The known facts about a communicator that is to be created; -1 and empty: not known.
struct Wanted {
  std::vector<std::string> unique_ids;
  std::string_view name;
  std::int32_t size = -1;
  std::int32_t own_place = -1;          // in the group
  std::int32_t own_rank = -1;           // in the world
  std::span<const std::int32_t> among;  // the parent's members
};

class Memberships {
 public:
  // Takes over whole lines that were added since the last time. Nothing happens where there is no such file.
  void read_more(const std::string& path);
  void read_text(std::string_view text);
  // By unique id; else by name, or the last word of it; else the newest line. Null where none fits what is
  // known.
  [[nodiscard]] const Membership* find(const Wanted&) const;
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  std::vector<Membership> all_;
  std::string unfinished_;
  std::int64_t offset_ = 0;
};

[[nodiscard]] std::optional<Membership> membership_of(std::string_view line);
// Null where it is no list of distinct ranks, or one of more than a million.
[[nodiscard]] std::optional<std::vector<std::int32_t>> ranks_of(std::string_view text);
[[nodiscard]] std::string text_of(std::span<const std::int32_t> ranks);  // the shortest ranks_of understands
[[nodiscard]] std::string hexadecimal(std::span<const char> id);         // of its first 32 bytes

}  // namespace echo::exsitu
