// The textbook collectives once more, by hand and with their data: which pieces each transfer carries.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "textbook/algorithm.hpp"

namespace echo::textbook::testing {

using ops::CollectiveKind;

struct Move {
  std::int32_t from = 0, to = 0;
  std::vector<std::int32_t> pieces;
  bool adds = false;  // to what the receiver holds, else in its place
};
using Moves = std::vector<std::vector<Move>>;  // [phase]

struct Movement {
  Moves phases;
  std::int64_t piece = 0;   // bytes
  std::int32_t pieces = 0;  // of a buffer; of all buffers for an all-to-all: from * n + to
};

inline std::vector<std::int32_t> range(std::int32_t first, std::int32_t count, std::int32_t around) {
  std::vector<std::int32_t> all;
  for (std::int32_t i = 0; i < count; ++i) all.push_back((first + i) % around);
  return all;
}

// An all-gather run backwards, sums in place of copies, is a reduce-scatter; and the two an all-reduce.
inline Moves reversed(const Moves& gather) {
  Moves out(gather.rbegin(), gather.rend());
  for (auto& phase : out)
    for (Move& move : phase) std::swap(move.from, move.to), move.adds = true;
  return out;
}
inline Moves by_gather(CollectiveKind kind, const Moves& gather) {
  if (kind == CollectiveKind::all_gather) return gather;
  Moves out = reversed(gather);
  if (kind == CollectiveKind::all_reduce) out.insert(out.end(), gather.begin(), gather.end());
  return out;
}

inline Movement move_ring(CollectiveKind kind, std::int32_t n, std::int64_t bytes) {
  Moves m;
  if (kind == CollectiveKind::broadcast) {
    const auto chunks = static_cast<std::int32_t>(pieces_in_flight(bytes));
    for (std::int32_t t = 0; t < chunks + n - 2; ++t) {
      m.emplace_back();
      for (std::int32_t i = 0; i + 1 < n; ++i)
        if (t - i >= 0 && t - i < chunks) m.back().push_back({i, i + 1, {t - i}});
    }
    return {m, (bytes + chunks - 1) / chunks, chunks};
  }
  const std::int64_t piece = (bytes + n - 1) / n;
  for (std::int32_t s = 1; s < n; ++s) {
    m.emplace_back();
    for (std::int32_t i = 0; i < n; ++i) {
      if (kind == CollectiveKind::all_to_all)
        m.back().push_back({i, (i + s) % n, {i * n + (i + s) % n}});
      else
        m.back().push_back({i, (i + 1) % n, {(i - s + 1 + n) % n}});
    }
  }
  if (kind == CollectiveKind::all_to_all) return {m, piece, n * n};
  if (kind == CollectiveKind::all_gather) return {m, piece, n};
  Moves out;  // the sums go the same way round: piece p starts behind its owner
  for (std::int32_t s = 0; s + 1 < n; ++s) {
    out.emplace_back();
    for (std::int32_t i = 0; i < n; ++i) out.back().push_back({i, (i + 1) % n, {(i - s - 1 + n) % n}, true});
  }
  if (kind == CollectiveKind::all_reduce) out.insert(out.end(), m.begin(), m.end());
  return {out, piece, n};
}

inline Movement move_bidirectional_ring(CollectiveKind kind, std::int32_t n, std::int64_t bytes) {
  const std::int64_t piece = (bytes + n - 1) / n;
  Moves m;
  if (kind == CollectiveKind::all_to_all) {
    for (std::int32_t s = 1; 2 * s <= n; ++s) {
      m.emplace_back();
      for (std::int32_t i = 0; i < n; ++i) {
        m.back().push_back({i, (i + s) % n, {i * n + (i + s) % n}});
        if (2 * s < n) m.back().push_back({i, (i + n - s) % n, {i * n + (i + n - s) % n}});
      }
    }
    return {m, piece, n * n};
  }
  for (std::int32_t s = 0; s + 1 < n; ++s) {  // pieces [0, n) one way round, [n, 2n) the other
    m.emplace_back();
    for (std::int32_t i = 0; i < n; ++i) {
      m.back().push_back({i, (i + 1) % n, {(i - s + n) % n}});
      m.back().push_back({i, (i + n - 1) % n, {n + (i + s) % n}});
    }
  }
  return {by_gather(kind, m), (piece + 1) / 2, 2 * n};
}

inline Movement move_direct(CollectiveKind kind, std::int32_t n, std::int64_t bytes) {
  const std::int64_t piece = (bytes + n - 1) / n;
  Moves m(1);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j)
      if (i != j) m[0].push_back({i, j, {kind == CollectiveKind::all_to_all ? i * n + j : i}});
  if (kind == CollectiveKind::all_to_all) return {m, piece, n * n};
  if (kind == CollectiveKind::broadcast) {
    m.insert(m.begin(), std::vector<Move>());
    for (std::int32_t i = 1; i < n; ++i) m[0].push_back({0, i, {i}});
    return {m, piece, n};
  }
  return {by_gather(kind, m), piece, n};
}

inline Movement move_bruck(CollectiveKind kind, std::int32_t n, std::int64_t bytes) {
  const std::int64_t piece = (bytes + n - 1) / n;
  Moves m;
  for (std::int32_t bit = 1; bit < n; bit *= 2) {
    m.emplace_back();
    for (std::int32_t i = 0; i < n; ++i) {
      if (kind != CollectiveKind::all_to_all) {
        m.back().push_back({(i + bit) % n, i, range((i + bit) % n, std::min(bit, n - bit), n)});
        continue;
      }
      Move move{i, (i + bit) % n, {}};
      for (std::int32_t way = 0; way < n; ++way) {
        const std::int32_t from = (i - way % bit + n) % n;  // has come the lower bits of its way
        if ((way & bit) != 0) move.pieces.push_back(from * n + (from + way) % n);
      }
      m.back().push_back(move);
    }
  }
  if (kind == CollectiveKind::all_to_all) return {m, piece, n * n};
  return {by_gather(kind, m), piece, n};
}

inline Movement move_halving_doubling(CollectiveKind kind, std::int32_t n, std::int64_t bytes) {
  std::int32_t whole = 1;
  while (2 * whole <= n) whole *= 2;
  const std::int64_t piece = (bytes + whole - 1) / whole;
  Moves gather;
  for (std::int32_t d = 1; d < whole; d *= 2) {
    gather.emplace_back();
    for (std::int32_t i = 0; i < whole; ++i) gather.back().push_back({i, i ^ d, range(i / d * d, d, whole)});
  }
  if (kind == CollectiveKind::broadcast) {
    Moves m;
    for (std::int32_t d = whole / 2; d > 0; d /= 2) {
      m.emplace_back();
      for (std::int32_t i = 0; i < n; i += 2 * d) m.back().push_back({i, i + d, range(i + d, d, whole)});
    }
    m.insert(m.end(), gather.begin(), gather.end());
    return {m, piece, whole};
  }
  Moves m = by_gather(kind, gather);
  if (whole < n) {
    m.insert(m.begin(), std::vector<Move>()), m.emplace_back();
    for (std::int32_t i = whole; i < n; ++i) {
      m.front().push_back({i, i - whole, range(0, whole, whole), true});
      m.back().push_back({i - whole, i, range(0, whole, whole)});
    }
  }
  return {m, piece, whole};
}

// Up in one phase a piece and level, then down. Here a parent is found by walking, not by bits.
inline Movement move_double_binary_tree(CollectiveKind, std::int32_t n, std::int64_t bytes) {
  const std::int64_t half = (bytes + 1) / 2;
  const auto chunks = static_cast<std::int32_t>(pieces_in_flight(half));
  std::vector<std::int32_t> parent(static_cast<std::size_t>(n), -1), level(static_cast<std::size_t>(n), 0);
  std::int32_t top = 1;
  while (top < n) top *= 2;
  // Places with one bit as the lowest stand between those of the next higher; beyond the end they are left
  // out, and who would hang below them hangs one higher on the left.
  for (std::int32_t place = 1; place < n; ++place) {
    const auto p = static_cast<std::size_t>(place);
    std::int32_t bit = 1;
    while (place % (2 * bit) == 0) bit *= 2, ++level[p];
    const std::int32_t left = place - bit, right = place + bit;
    const bool left_is_next = left % (4 * bit) == 2 * bit;
    parent[p] = left_is_next || right >= n ? left : right;
  }
  std::int32_t levels = 0;
  for (std::int32_t p = 1; p < top; p *= 2) ++levels;
  const auto rank = [n](std::int32_t tree, std::int32_t place) {
    if (tree == 0) return place;
    return n % 2 == 0 ? n - 1 - place : (place + 1) % n;
  };
  Moves up;
  for (std::int32_t t = 0; t < levels + chunks - 1; ++t) {
    up.emplace_back();
    for (std::int32_t tree = 0; tree < 2; ++tree)
      for (std::int32_t place = 1; place < n; ++place) {
        const std::int32_t chunk = t - level[static_cast<std::size_t>(place)];
        if (chunk < 0 || chunk >= chunks) continue;
        up.back().push_back({rank(tree, place),
                             rank(tree, parent[static_cast<std::size_t>(place)]),
                             {tree * chunks + chunk},
                             true});
      }
  }
  Moves down(up.rbegin(), up.rend());  // the same, backwards: the last piece up is the first down
  for (auto& phase : down)
    for (Move& move : phase) std::swap(move.from, move.to), move.adds = false;
  up.insert(up.end(), down.begin(), down.end());
  return {up, (half + chunks - 1) / chunks, 2 * chunks};
}

// By the name of the plug-in; a new one is a new row here.
inline const auto& movements() {
  static const std::map<std::string, std::function<Movement(CollectiveKind, std::int32_t, std::int64_t)>>
      table{{"ring", move_ring},
            {"bidirectional_ring", move_bidirectional_ring},
            {"direct", move_direct},
            {"bruck", move_bruck},
            {"halving_doubling", move_halving_doubling},
            {"double_binary_tree", move_double_binary_tree}};
  return table;
}

// Whose contributions rank r's copy of a piece holds, as bits; 0 = no copy.
using Held = std::vector<std::vector<std::uint64_t>>;

inline std::uint64_t bit(std::int32_t rank) { return std::uint64_t{1} << rank; }

inline Held before(CollectiveKind kind, std::int32_t n, std::int32_t pieces) {
  Held held(static_cast<std::size_t>(n), std::vector<std::uint64_t>(static_cast<std::size_t>(pieces), 0));
  for (std::int32_t r = 0; r < n; ++r)
    for (std::int32_t p = 0; p < pieces; ++p) {
      const bool sums = kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
      const bool own = kind == CollectiveKind::all_gather   ? p % n == r
                       : kind == CollectiveKind::all_to_all ? p / n == r
                       : kind == CollectiveKind::broadcast  ? r == 0
                                                            : sums;
      if (own) held[static_cast<std::size_t>(r)][static_cast<std::size_t>(p)] = bit(r);
    }
  return held;
}

// What rank r must hold of a piece in the end; 0 = anything.
inline std::uint64_t promised(CollectiveKind kind, std::int32_t n, std::int32_t r, std::int32_t piece) {
  const std::uint64_t all = n == 64 ? ~std::uint64_t{0} : bit(n) - 1;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return all;
    case CollectiveKind::reduce_scatter:
      return piece % n == r ? all : 0;
    case CollectiveKind::all_gather:
      return bit(piece % n);
    case CollectiveKind::all_to_all:
      return piece % n == r ? bit(piece / n) : 0;
    default:
      return bit(0);
  }
}

// The first thing that goes wrong, or "".
inline std::string play(CollectiveKind kind, std::int32_t n, const Movement& m) {
  Held held = before(kind, n, m.pieces);
  for (std::size_t t = 0; t < m.phases.size(); ++t) {
    const Held start = held;
    for (const Move& move : m.phases[t]) {
      for (const std::int32_t piece : move.pieces) {
        const auto p = static_cast<std::size_t>(piece);
        const std::uint64_t sent = start[static_cast<std::size_t>(move.from)][p];
        std::uint64_t& mine = held[static_cast<std::size_t>(move.to)][p];
        const std::string where = " in phase " + std::to_string(t) + ": piece " + std::to_string(piece) +
                                  " from " + std::to_string(move.from) + " to " + std::to_string(move.to);
        if (sent == 0) return "sent before it came" + where;
        if (move.adds && (mine & sent) != 0) return "added twice" + where;
        mine = move.adds ? mine | sent : sent;
      }
    }
  }
  for (std::int32_t r = 0; r < n; ++r)
    for (std::int32_t piece = 0; piece < m.pieces; ++piece) {
      const std::uint64_t want = promised(kind, n, r, piece);
      if (want != 0 && held[static_cast<std::size_t>(r)][static_cast<std::size_t>(piece)] != want)
        return "rank " + std::to_string(r) + " lacks piece " + std::to_string(piece);
    }
  return "";
}

}  // namespace echo::textbook::testing
