// A memo of bounded memory. An entry has one place, by the hash of its key, and the newest takes it; places
// are doubled while they fill up, as long as they are no more than the bound.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace echo {

// How often a memo was asked, and how often it knew.
struct MemoCount {
  std::int64_t asked = 0, known = 0;
  MemoCount& operator+=(const MemoCount& other) {
    asked += other.asked, known += other.known;
    return *this;
  }
};

template <class Key, class Value, class Hash>
class BoundedMemo {
 public:
  // Contract: 0 < most_places; rounded down to a power of two.
  explicit BoundedMemo(std::size_t most_places = 4096) : most_(std::bit_floor(most_places)) {}

  // The value of `key`: the one known, or what `make()` returns. Valid until the next call.
  template <class Make>
  const Value& of(const Key& key, const Make& make) {
    ++count_.asked;
    if (entries_.empty()) entries_.resize(most_ < first_places ? most_ : first_places);
    const std::size_t hash = Hash()(key);
    Entry* entry = &entry_of(hash);
    if (entry->used && entry->key == key) {
      ++count_.known;
      return entry->value;
    }
    Value made = make();  // may throw: the entry in this place stays what it is
    if (!entry->used && ++used_ * 2 > entries_.size() && entries_.size() < most_) {
      grow();
      entry = &entry_of(hash);
    }
    entry->used = true, entry->hash = hash, entry->key = key, entry->value = std::move(made);
    return entry->value;
  }

  void clear() {
    entries_.clear();
    used_ = 0;
  }
  [[nodiscard]] const MemoCount& count() const { return count_; }
  [[nodiscard]] std::size_t places() const { return entries_.size(); }

 private:
  static constexpr std::size_t first_places = 64;
  struct Entry {
    Key key{};
    Value value{};
    std::size_t hash = 0;
    bool used = false;
  };
  Entry& entry_of(std::size_t hash) { return entries_[hash & (entries_.size() - 1)]; }
  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    std::swap(old, entries_);
    used_ = 1;  // the one about to be entered
    for (Entry& entry : old) {
      if (!entry.used) continue;
      Entry& place = entry_of(entry.hash);
      used_ += place.used ? 0 : 1;
      place = std::move(entry);
    }
  }
  std::size_t most_, used_ = 0;
  std::vector<Entry> entries_;
  MemoCount count_;
};

}  // namespace echo
